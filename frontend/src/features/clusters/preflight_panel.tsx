import { Alert, Group, Loader, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Cluster, isLooking, type usePreflight } from "~/queries/clusters";
import { Moment } from "~/ui/moment";
import { ProblemAlert } from "~/ui/problem_alert";
import { PreflightBadge } from "./preflight_badge";
import { PreflightButton } from "./preflight_button";
import { PreflightReport } from "./preflight_report";

/** Where the preflight is, why it failed, and what the latest that did not fail has found. */
export function PreflightPanel({
  cluster,
  preflight,
}: {
  cluster: Cluster;
  preflight: ReturnType<typeof usePreflight>;
}) {
  const { t } = useTranslation("clusters");
  const state = cluster.preflight_state;
  const found = cluster.capabilities;
  return (
    <Stack gap="lg">
      <Group gap="sm">
        {/* Said to screen readers when it changes. */}
        <div role="status">
          <PreflightBadge state={state} />
        </div>
        {cluster.preflighted_at && (
          <Text size="sm" c="dimmed">
            {t("looked_at")} <Moment at={cluster.preflighted_at} />
          </Text>
        )}
        <PreflightButton cluster={cluster} preflight={preflight} size="xs" />
      </Group>
      {preflight.error && (
        <ProblemAlert error={preflight.error} retry={() => preflight.mutate(cluster.id)} />
      )}
      {isLooking(cluster) && (
        <Alert variant="light" icon={<Loader size={18} />} title={t(`preflight_${state}`)}>
          {state === "queued" ? t("queued_text") : t("running_text")}
        </Alert>
      )}
      {state === "failed" && (
        <Alert
          role="alert"
          color="red"
          variant="light"
          icon={<IconAlertTriangle />}
          title={t("concern_preflight_failed")}
        >
          <Stack gap="xs">
            {cluster.preflight_error && <Text size="sm">{cluster.preflight_error.text}</Text>}
            <Text size="sm">{t("failed_text")}</Text>
          </Stack>
        </Alert>
      )}
      {state === "never" && <Text c="dimmed">{t("unseen_means")}</Text>}
      {found !== null && <PreflightReport cluster={cluster} found={found} />}
    </Stack>
  );
}
