import { NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { ProblemAlert } from "~/ui/problem_alert";
import { ClusterCheck } from "./cluster_check";
import { faultAt, specFaults } from "./faults";
import type { PlanState } from "./use_plan";
import type { TargetClusters } from "./use_target_clusters";

interface RunPanelProps {
  title: string;
  where: TargetClusters;
  state: PlanState;
  onChoose: (id: string | undefined) => void;
  error: Error | null;
}

/** Where to run, and what is in the way there. */
export function RunPanel({ title, where, state, onChoose, error }: RunPanelProps) {
  const { t } = useTranslation("experiments");
  const { clusters, named, chosen, measured } = where;
  const { plan } = state;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="run-title">
      <Stack gap="md">
        <Title order={2} size="h4" id="run-title">
          {title}
        </Title>
        {clusters.error && (
          <ProblemAlert error={clusters.error} retry={() => void clusters.refetch()} />
        )}
        {named.length > 0 ? (
          <Text size="sm">{t("clusters_by_axis", { names: listed(named.map(String)) })}</Text>
        ) : (
          <NativeSelect
            label={t("cluster")}
            value={chosen?.id ?? ""}
            error={faultAt(specFaults(error), "/cluster_id")}
            data={[
              {
                value: "",
                label: t(clusters.data?.length === 0 ? "no_clusters" : "choose_cluster"),
              },
              ...(clusters.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(event) => onChoose(event.currentTarget.value || undefined)}
          />
        )}
        {plan &&
          measured.map((cluster) => (
            <ClusterCheck key={cluster.id} cluster={cluster} plan={plan} />
          ))}
        {error && <ProblemAlert error={error} shownPointers={["/cluster_id"]} />}
      </Stack>
    </Paper>
  );
}
