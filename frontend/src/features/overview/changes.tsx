import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { ChangesLinks, EnvironmentChanges, EnvironmentLink, TurnedVerdicts } from "~/ui/changes";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";

type ClusterChanges = Schemas["ClusterChanges"];
type KindChanges = Schemas["KindChanges"];

/** Whether there is anything to tell of a cluster: runs of the same that agree are none. */
export function tells(cluster: ClusterChanges): boolean {
  return cluster.since_measured.length > 0 || cluster.kinds.some(changed);
}

function changed({ turns, environment }: KindChanges): boolean {
  return turns.turned.length > 0 || environment.length > 0;
}

/** What changed on each cluster: in its latest runs since those before, and since the last run. */
export function Changes({ clusters }: { clusters: readonly ClusterChanges[] }) {
  return (
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
      {clusters.filter(tells).map((cluster) => (
        <Paper component="li" key={cluster.cluster_id} withBorder p="md">
          <Title order={3} size="h5" mb="xs">
            <AnchorLink
              to="/clusters/$clusterId"
              params={{ clusterId: cluster.cluster_id }}
              inherit
            >
              {cluster.name}
            </AnchorLink>
          </Title>
          <Stack gap="md">
            {cluster.kinds.filter(changed).map((one) => (
              <OfKind key={one.kind} changes={one} />
            ))}
            {cluster.since_measured.length > 0 && <SinceMeasured cluster={cluster} />}
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}

function OfKind({ changes }: { changes: KindChanges }) {
  const { t } = useTranslation("changes");
  const word = useWords();
  const { kind, run, since, turns, environment } = changes;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {word("kind", kind)}
        {" · "}
        <AnchorLink to="/runs/$runId" params={{ runId: run.run_id }} inherit underline="always">
          {run.name}
        </AnchorLink>{" "}
        {run.finished_at && <Moment at={run.finished_at} />}
      </Text>
      <TurnedVerdicts turns={turns} runId={run.run_id} />
      {environment.length > 0 && (
        <div>
          <Text size="sm">{t("environment")}</Text>
          <EnvironmentChanges differences={environment} />
        </div>
      )}
      <ChangesLinks since={since.run_id} run={run.run_id} environment={environment.length > 0} />
    </Stack>
  );
}

function SinceMeasured({ cluster }: { cluster: ClusterChanges }) {
  const { t } = useTranslation("changes");
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t("since_measured")}
        {cluster.seen_at && (
          <>
            {" · "}
            <Moment at={cluster.seen_at} />
          </>
        )}
      </Text>
      <EnvironmentChanges differences={cluster.since_measured} />
      <Group gap="md">
        {cluster.latest && <EnvironmentLink run={cluster.latest.run_id} text={t("latest_run")} />}
        <AnchorLink
          size="sm"
          to="/clusters/$clusterId"
          params={{ clusterId: cluster.cluster_id }}
          search={{ tab: "fingerprints" }}
        >
          {t("to_fingerprints")}
        </AnchorLink>
      </Group>
    </Stack>
  );
}
