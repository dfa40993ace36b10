import { Badge, Text } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { followed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { elapsed } from "~/quantities/elapsed";
import { formatDuration } from "~/quantities/format";
import type { Run } from "~/queries/runs";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { LabelList } from "./label_list";
import { useNow } from "./use_now";

/** Under the run's name: kind, clusters, attempt, when and how long. */
export function RunFacts({ run }: { run: Run }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const seconds = elapsed(run, useNow(run.state !== "finished"));
  const facts = [
    word("kind", run.kind),
    run.clusters.length > 0 && <ClusterLinks key="clusters" run={run} />,
    run.experiment_id !== null && (
      <AnchorLink
        key="experiment"
        inherit
        underline="always"
        to="/experiments/$experimentId"
        params={{ experimentId: run.experiment_id }}
      >
        {t("its_experiment")}
      </AnchorLink>
    ),
    run.attempt > 1 && t("attempt", { attempt: run.attempt }),
    run.kind === IMPORT && (
      <Fragment key="imported">
        {followed(t("imported"))}
        <Moment at={run.created_at} />
      </Fragment>
    ),
    run.started_at !== null && (
      <Fragment key="started">
        {t("started")} <Moment at={run.started_at} />
      </Fragment>
    ),
    seconds !== null && (
      <span key="duration" style={{ whiteSpace: "nowrap" }}>
        {t(run.state === "finished" ? "took" : "since", { duration: formatDuration(seconds) })}
      </span>
    ),
  ].filter((fact) => fact !== false);
  return (
    <>
      <Text component="div" c="dimmed" size="sm" mt={4} mb={4}>
        {facts.map((fact, index) => (
          <Fragment key={index}>
            {index > 0 && " · "}
            {fact}
          </Fragment>
        ))}
      </Text>
      <LabelList labels={run.labels} />
    </>
  );
}

function ClusterLinks({ run }: { run: Run }) {
  const { t } = useTranslation("runs");
  return run.clusters.map((cluster, index) => (
    <Fragment key={cluster.cluster_uid + cluster.name}>
      {index > 0 && ", "}
      {cluster.cluster_id === null ? (
        t("removed_cluster", { name: cluster.name })
      ) : (
        <AnchorLink
          inherit
          underline="always"
          to="/clusters/$clusterId"
          params={{ clusterId: cluster.cluster_id }}
        >
          {cluster.name}
        </AnchorLink>
      )}
    </Fragment>
  ));
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
