import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { membersOptions, organizationOptions } from "~/queries/members";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { Section } from "~/ui/section";
import { Invitations } from "./invitations";
import { MembersTable } from "./members_table";
import { Quotas } from "./quotas";
import { Rename } from "./rename";

/** Who belongs to the organization, who is invited, and how much it may have. */
export function MembersPage() {
  const { t } = useTranslation("members");
  const me = useMe();
  const members = useQuery(membersOptions);
  const organization = useQuery(organizationOptions);
  return (
    <Page
      title={t("title")}
      subtitle={<Text c="dimmed">{me.organization}</Text>}
      ready={!members.isPending && !organization.isPending}
    >
      <Stack gap="lg" maw={920}>
        <Section framed title={t("members")} text={t("members_text")}>
          <Loaded query={members}>{(rows) => <MembersTable members={rows} />}</Loaded>
        </Section>
        {me.may("admin") && (
          <Section framed title={t("invitations")} text={t("invitations_text")}>
            <Invitations />
          </Section>
        )}
        <Section framed title={t("organization")} text={t("organization_text")}>
          <Loaded query={organization}>
            {(found) => (
              <Stack gap="lg">
                {me.may("admin") && <Rename key={found.version} organization={found} />}
                <Quotas quotas={found.quotas} />
              </Stack>
            )}
          </Loaded>
        </Section>
      </Stack>
    </Page>
  );
}
