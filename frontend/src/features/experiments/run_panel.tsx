import { Alert, Button, NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { IconInfoCircle, IconPlayerPlay } from "@tabler/icons-react";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { type Cluster, clustersOptions } from "~/queries/clusters";
import type { Plan } from "~/queries/experiments";
import { ProblemAlert } from "~/ui/problem_alert";
import { ClusterCheck } from "./cluster_check";
import { valueAt } from "./document";
import { faultAt, specFaults } from "./faults";
import { findingsOn } from "./readiness";
import { SwitchConfirmation } from "./switch_confirmation";
import { axisValues } from "./typed";
import type { PlanState } from "./use_plan";
import type { Spec } from "./use_spec";

interface RunPanelProps {
  spec: Spec;
  state: PlanState;
  /** The chosen cluster's id, from the address. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
  /** Whether running keeps the specification first. */
  savesFirst: boolean;
  starting: boolean;
  error: Error | null;
  onRun: (clusterId: string | null) => void;
}

/** Where to run, what is in the way there, and the start. */
export function RunPanel(props: RunPanelProps) {
  const { t } = useTranslation("experiments");
  const clusters = useQuery(clustersOptions);
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="run-title">
      <Stack gap="md">
        <Title order={2} size="h4" id="run-title">
          {t("run")}
        </Title>
        {clusters.error && (
          <ProblemAlert error={clusters.error} retry={() => void clusters.refetch()} />
        )}
        <Where {...props} clusters={clusters} />
      </Stack>
    </Paper>
  );
}

function Where({
  spec,
  state,
  chosen,
  onChoose,
  savesFirst,
  starting,
  error,
  onRun,
  clusters,
}: RunPanelProps & { clusters: UseQueryResult<Cluster[]> }) {
  const { t } = useTranslation("experiments");
  const me = useMe();
  const why = useId();
  const [confirming, setConfirming] = useState(false);
  const all = clusters.data ?? [];
  const named = axisValues(valueAt(spec.readable.value, ["axes", "cluster"])) ?? [];
  const one = all.find(({ id }) => id === chosen);
  const measured =
    named.length > 0 ? all.filter(({ name }) => named.includes(name)) : one ? [one] : [];
  const { plan, current } = state;
  const reason = plan && whyNot(plan);

  function whyNot(known: Plan): string | undefined {
    if (!me.may("operator")) return t("needs_operator");
    if (!current) return t("needs_plan");
    if (measured.length === 0) return t(named.length > 0 ? "names_no_cluster" : "needs_cluster");
    const refused = measured.some((cluster) =>
      findingsOn(cluster, known).some(({ level }) => level === "refused"),
    );
    return refused ? t("needs_mending") : undefined;
  }

  function run() {
    setConfirming(false);
    onRun(named.length > 0 ? null : (chosen ?? null));
  }

  return (
    <>
      {named.length > 0 ? (
        <Text size="sm">{t("clusters_by_axis", { names: named.join(", ") })}</Text>
      ) : (
        <NativeSelect
          label={t("cluster")}
          value={one?.id ?? ""}
          error={faultAt(specFaults(error), "/cluster_id")}
          data={[
            { value: "", label: t(clusters.data?.length === 0 ? "no_clusters" : "choose_cluster") },
            ...all.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(event) => onChoose(event.currentTarget.value || undefined)}
        />
      )}
      {plan &&
        measured.map((cluster) => <ClusterCheck key={cluster.id} cluster={cluster} plan={plan} />)}
      {error && <ProblemAlert error={error} shownPointers={["/cluster_id"]} />}
      <Button
        leftSection={<IconPlayerPlay size={16} />}
        disabled={plan === undefined || reason !== undefined}
        loading={starting}
        aria-describedby={reason ? why : undefined}
        onClick={() => (plan && plan.switches.length > 0 ? setConfirming(true) : run())}
      >
        {t(savesFirst ? "save_and_run" : "run")}
      </Button>
      {reason && (
        <Alert id={why} role="note" color="gray" variant="light" icon={<IconInfoCircle />} py="xs">
          <Text size="sm">{reason}</Text>
        </Alert>
      )}
      {plan && (
        <SwitchConfirmation
          opened={confirming}
          plan={plan}
          clusters={measured}
          onClose={() => setConfirming(false)}
          onConfirm={run}
        />
      )}
    </>
  );
}
