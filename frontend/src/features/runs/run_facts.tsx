import { Badge, Group, Text } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { formatDuration } from "~/quantities/format";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { elapsed } from "./progress";
import type { Run } from "./queries";
import { useNow } from "./use_now";

/** Under the run's name: kind, clusters, attempt, when and how long. */
export function RunFacts({ run }: { run: Run }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const seconds = elapsed(run, useNow(run.state !== "finished"));
  return (
    <Group gap="xs" c="dimmed" fz="sm" mt={4}>
      <Text inherit>{word("kind", run.kind)}</Text>
      <Dot />
      <Text inherit>
        {run.clusters.map((cluster, index) => (
          <Fragment key={cluster.cluster_uid + cluster.name}>
            {index > 0 && ", "}
            {cluster.cluster_id === null ? (
              t("removed_cluster", { name: cluster.name })
            ) : (
              <AnchorLink
                inherit
                to="/clusters/$clusterId"
                params={{ clusterId: cluster.cluster_id }}
              >
                {cluster.name}
              </AnchorLink>
            )}
          </Fragment>
        ))}
      </Text>
      {run.experiment_id !== null && (
        <>
          <Dot />
          <AnchorLink
            inherit
            to="/experiments/$experimentId"
            params={{ experimentId: run.experiment_id }}
          >
            {t("its_experiment")}
          </AnchorLink>
        </>
      )}
      {run.attempt > 1 && (
        <>
          <Dot />
          <Text inherit>{t("attempt", { attempt: run.attempt })}</Text>
        </>
      )}
      {run.started_at !== null && (
        <>
          <Dot />
          <Text inherit>
            {t("started")} <Moment at={run.started_at} />
          </Text>
        </>
      )}
      {seconds !== null && (
        <>
          <Dot />
          <Text inherit>
            {t(run.state === "finished" ? "took" : "since", { duration: formatDuration(seconds) })}
          </Text>
        </>
      )}
    </Group>
  );
}

/** Between two facts. */
function Dot() {
  return <span aria-hidden>·</span>;
}

/** Asked to stop, and not there yet. */
export function CancellingBadge({ run }: { run: Run }) {
  const { t } = useTranslation("runs");
  if (run.cancel_requested_at === null || run.state === "finished") return null;
  return (
    <Badge color="orange" variant="light" tt="none">
      {t("cancelling")}
    </Badge>
  );
}
