import { Alert, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconClockExclamation } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { AnchorLink } from "./link";
import { Moment } from "./moment";

type Cluster = Schemas["ClusterView"];

/** What a cluster's owner has to do something about, the most pressing first. */
export type Concern =
  | "needs_restore"
  | "restored_elsewhere"
  | "replacement_refused"
  | "replacement_pending"
  | "expired"
  | "not_renewed"
  | "preflight_failed"
  | "expires_soon"
  | "unseen";

const DAY = 24 * 3600 * 1000;
/** A run should not outlive its credentials, and owners need time to make new ones. */
const SOON = 7 * DAY;

/** Whether its token is renewed by itself, and was the last time. */
function renews(cluster: Cluster): boolean {
  const { renew_credential, credential_renewed_at, renewal_error } = cluster;
  return renew_credential && credential_renewed_at !== null && renewal_error === null;
}

export function concernsOf(cluster: Cluster, now: number): Concern[] {
  const left = cluster.credential_expires_at
    ? new Date(cluster.credential_expires_at).getTime() - now
    : Number.POSITIVE_INFINITY;
  const found: [Concern, boolean][] = [
    ["needs_restore", cluster.needs_restore],
    ["restored_elsewhere", cluster.restored_elsewhere],
    ["replacement_refused", cluster.replacement?.state === "refused"],
    ["replacement_pending", cluster.replacement?.state === "pending"],
    ["expired", left <= 0],
    ["not_renewed", cluster.renewal_error !== null],
    ["preflight_failed", cluster.preflight_state === "failed"],
    ["expires_soon", left > 0 && left <= SOON && !renews(cluster)],
    ["unseen", cluster.preflight_state === "never"],
  ];
  return found.flatMap(([concern, is]) => (is ? [concern] : []));
}

/** A cluster's concerns, each with its reason. Nothing where all is well. */
export function ClusterAlerts({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const concerns = concernsOf(cluster, Date.now());
  if (concerns.length === 0) return null;
  return (
    <Stack gap="xs">
      {concerns.map((concern) => (
        <Alert
          key={concern}
          variant="light"
          p="sm"
          color={COLOR[concern]}
          icon={<ConcernIcon concern={concern} />}
          title={t(`concern_${concern}`)}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm" component="div">
              <Reason cluster={cluster} concern={concern} />
            </Text>
            <FixLink cluster={cluster} concern={concern} />
          </Stack>
        </Alert>
      ))}
    </Stack>
  );
}

/** The same in a line each, below the cluster's row of a list; the cluster's page has the rest. */
export function ClusterConcerns({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  return concernsOf(cluster, Date.now()).map((concern) => (
    <Group key={concern} gap="xs" c={`var(--mantine-color-${COLOR[concern]}-light-color)`} fz="sm">
      <ConcernIcon concern={concern} size={16} />
      <span>{t(`concern_${concern}`)}</span>
      {concern === "expires_soon" && <Reason cluster={cluster} concern={concern} />}
      {/* A server may say as much as it likes. */}
      <Text inherit component="span" lineClamp={2} maw="60ch" title={givenReason(cluster, concern)}>
        {givenReason(cluster, concern)}
      </Text>
      <FixLink cluster={cluster} concern={concern} />
    </Group>
  ));
}

/** Why, as the server gives it; undefined where the concern says all. */
function givenReason(cluster: Cluster, concern: Concern): string | undefined {
  const given: Partial<Record<Concern, Schemas["Message"] | null | undefined>> = {
    needs_restore: cluster.needs_restore_reason,
    replacement_refused: cluster.replacement?.reason,
    replacement_pending: cluster.replacement?.reason,
    not_renewed: cluster.renewal_error,
    preflight_failed: cluster.preflight_error,
  };
  return given[concern]?.text;
}

function ConcernIcon({ concern, size }: { concern: Concern; size?: number }) {
  const Icon = concern.startsWith("expire") ? IconClockExclamation : IconAlertTriangle;
  return <Icon size={size} />;
}

/** Leads to the tab where its owner fixes it. */
function FixLink({ cluster, concern }: { cluster: Cluster; concern: Concern }) {
  const { t } = useTranslation("clusters");
  return (
    <AnchorLink
      to="/clusters/$clusterId"
      params={{ clusterId: cluster.id }}
      search={{ tab: FIXED_IN[concern] }}
      size="sm"
      c="inherit"
      underline="always"
    >
      {t(`concern_${concern}_go`)}
    </AnchorLink>
  );
}

const COLOR: Record<Concern, string> = {
  needs_restore: "red",
  restored_elsewhere: "red",
  replacement_refused: "red",
  replacement_pending: "blue",
  expired: "red",
  not_renewed: "orange",
  preflight_failed: "red",
  expires_soon: "orange",
  unseen: "blue",
};

const FIXED_IN = {
  needs_restore: "access",
  restored_elsewhere: "preflight",
  replacement_refused: "access",
  replacement_pending: "access",
  expired: "access",
  not_renewed: "access",
  preflight_failed: "preflight",
  expires_soon: "access",
  unseen: "preflight",
} as const satisfies Record<Concern, string>;

function Reason({ cluster, concern }: { cluster: Cluster; concern: Concern }) {
  const { t, i18n } = useTranslation("clusters");
  const given = givenReason(cluster, concern);
  if (concern === "not_renewed" || concern === "preflight_failed") return <>{given}</>;
  if (concern === "restored_elsewhere") return <>{t("restored_elsewhere_means")}</>;
  if (
    concern === "needs_restore" ||
    concern === "replacement_refused" ||
    concern === "replacement_pending"
  ) {
    return (
      <>
        {given && <div>{given}</div>}
        <div>{t(`${concern}_means`)}</div>
      </>
    );
  }
  if (concern === "unseen" || cluster.credential_expires_at === null)
    return <>{t("unseen_means")}</>;
  const left = new Date(cluster.credential_expires_at).getTime() - Date.now();
  const relative = new Intl.RelativeTimeFormat(i18n.language, { numeric: "auto" });
  return (
    <>
      <Moment at={cluster.credential_expires_at} /> (
      {Math.abs(left) < DAY
        ? relative.format(Math.trunc(left / (DAY / 24)), "hour")
        : relative.format(Math.trunc(left / DAY), "day")}
      )
    </>
  );
}
