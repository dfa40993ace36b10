import { expect, it } from "vitest";
import { AuditPage } from "~/features/audit/page";
import { MembersPage } from "~/features/members/page";
import { OwnOrganizations } from "~/features/profile/organizations";
import { CiPage } from "~/features/settings/ci/page";
import { SettingsPage } from "~/features/settings/page";
import { SnapshotsPage } from "~/features/snapshots/list_page";
import { ciTrustsOptions } from "~/queries/ci";
import { clustersOptions } from "~/queries/clusters";
import { experimentsOptions } from "~/queries/experiments";
import { invitationsOptions, membersOptions, organizationOptions } from "~/queries/members";
import { versionOptions } from "~/queries/service";
import { signOnOptions } from "~/queries/sign_on";
import { previewOptions, snapshotPagesOptions } from "~/queries/snapshots";
import { everybodysTokensOptions, tokensOptions } from "~/queries/tokens";
import { Shell } from "./shell";
import { type Offers, offeredByRole, offers, type Shown } from "./testing";

const ID = "00000000-0000-4000-8000-000000000001";
const AT = "2026-11-29T10:00:00Z";

const MEMBER = {
  user_id: "bob",
  email: "bob@example.org",
  role: "viewer",
  active: true,
  of_provider: true,
  address_proof: null,
  version: 1,
  since: AT,
  last_used_at: null,
};
const SNAPSHOT = {
  id: ID,
  title: "Numbers of May",
  live: true,
  created_at: AT,
  expires_at: null,
  revoked_at: null,
  kept: [],
};
const PREVIEW = { content: { run: { run: { name: "Numbers of May" } } }, replacements: [] };

const NO_AUDIT = "Only administrators of the organization can read the audit log.";
const NO_CI = "Only administrators of the organization can see this page.";
const NO_SHARING = "Only operators and administrators can share.";
const ROLES_OF_PROVIDER = /^Members who use single sign-on/;

it.each<[string, Shown, Offers]>([
  ["the navigation", { page: <Shell /> }, offers([], [], ["Audit log"])],
  [
    "the audit log",
    { page: <AuditPage />, route: "/audit", texts: [NO_AUDIT] },
    offers(
      [NO_AUDIT],
      [NO_AUDIT],
      [
        ...["Export as CSV", "Export as JSON lines"],
        ...["Who", "What", "Object", "Named", "From", "Until", "Failed logins only", "Apply"],
      ],
    ),
  ],
  [
    "members",
    {
      page: <MembersPage />,
      answers: [
        [membersOptions, [MEMBER]],
        [invitationsOptions, []],
        [organizationOptions, { name: "Ours", version: 1, quotas: [] }],
        [signOnOptions, { name: null, only: false }],
      ],
      // The heading of a column that only administrators have.
      texts: ["Actions", ROLES_OF_PROVIDER],
    },
    offers(
      [],
      [],
      [
        ...["Role of bob@example.org", "Actions for bob@example.org", "Actions"],
        ...["Email", "Role", "Days", "Create an invitation"],
        ...["Name", "Rename (disabled)", String(ROLES_OF_PROVIDER)],
      ],
    ),
  ],
  [
    "settings",
    {
      page: <SettingsPage />,
      answers: [
        [tokensOptions, []],
        [everybodysTokensOptions, []],
        [clustersOptions, []],
        [experimentsOptions, []],
        [versionOptions, null],
      ],
      // The roles of a new token, and all tokens of the organization.
      texts: ["Viewer", "Operator", "Admin", "There are no API tokens."],
    },
    offers(
      [],
      ["Operator"],
      ["CI jobs without a stored secret", "Operator", "Admin", "There are no API tokens."],
    ),
  ],
  [
    "trusted CI jobs",
    { page: <CiPage />, answers: [[ciTrustsOptions, []]], texts: [NO_CI] },
    offers([NO_CI], [NO_CI], ["Trust a CI"]),
  ],
  [
    "the user's own organizations",
    { page: <OwnOrganizations organizations={[]} /> },
    offers([], [], ["New organization", "Create"]),
  ],
  [
    "snapshots, and the dialog that shares",
    {
      page: <SnapshotsPage />,
      route: "/snapshots",
      address: `/snapshots?share=run:${ID}&chosen=["${ID}"]`,
      answers: [
        [
          snapshotPagesOptions({}),
          { pages: [{ items: [SNAPSHOT], next_cursor: null }], pageParams: [undefined] },
        ],
        [previewOptions({ kind: "run", id: ID }, []), PREVIEW],
      ],
      texts: [NO_SHARING],
    },
    offers(
      ["Create the link (disabled)", NO_SHARING],
      [
        ...["Create the link", "Select all shown", "Select Numbers of May"],
        ...["Revoke “Numbers of May”", "Revoke"],
      ],
    ),
  ],
])("%s: each role is offered what it may do", async (_, shown, expected) => {
  expect(await offeredByRole(shown)).toEqual(expected);
});
