import { Grid, Group, Paper, SegmentedControl, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { clustersOptions } from "~/queries/clusters";
import type { Kind } from "~/queries/kinds";
import classes from "./experiments.module.css";
import { PlanPanel } from "./plan_panel";
import { RunPanel } from "./run_panel";
import type { ExperimentSearch } from "./search";
import { SpecForm } from "./spec_form";
import type { PlanState } from "./use_plan";
import type { Spec } from "./use_spec";
import { YamlPanel } from "./yaml_panel";

interface EditorProps {
  spec: Spec;
  state: PlanState;
  kinds: readonly Kind[];
  search: ExperimentSearch;
  onSearch: (change: ExperimentSearch) => void;
  savesFirst: boolean;
  starting: boolean;
  startError: Error | null;
  onRun: (clusterId: string | null) => void;
}

/** The specification, as form and as YAML, and beside it what it would do and where it can run. */
export function Editor({
  spec,
  state,
  kinds,
  search,
  onSearch,
  savesFirst,
  starting,
  startError,
  onRun,
}: EditorProps) {
  const { t } = useTranslation("experiments");
  const clusters = useQuery(clustersOptions);
  const view = search.view ?? "form";
  const broken = spec.document.faults.length > 0;
  const faults = broken ? [] : state.faults;
  const setView = (next: string) =>
    onSearch({ ...search, view: next === "yaml" || next === "both" ? next : undefined });

  const form = (
    <SpecForm
      spec={spec}
      kinds={kinds}
      faults={faults}
      clusterNames={(clusters.data ?? []).map(({ name }) => name)}
      resolved={state.plan?.repetition}
      onShowYaml={() => setView(view === "form" ? "yaml" : "both")}
    />
  );
  const yaml = <YamlPanel spec={spec} faults={faults} />;
  const plan = <PlanPanel state={state} kinds={kinds} />;
  const run = (
    <RunPanel
      spec={spec}
      state={state}
      chosen={search.cluster}
      onChoose={(cluster) => onSearch({ ...search, cluster })}
      savesFirst={savesFirst}
      starting={starting}
      error={startError}
      onRun={onRun}
    />
  );
  const half = { base: 12, lg: 6 };

  return (
    <Grid gap="md">
      <Grid.Col span={view === "both" ? 12 : { base: 12, lg: 7 }}>
        <Paper withBorder p="md" component="section" aria-labelledby="spec-title">
          <Group justify="space-between" mb="md">
            <Title order={2} size="h4" id="spec-title">
              {t("specification")}
            </Title>
            <SegmentedControl
              size="xs"
              aria-label={t("view")}
              value={view}
              onChange={setView}
              data={[
                { value: "form", label: t("form") },
                { value: "yaml", label: t("yaml") },
                { value: "both", label: t("both") },
              ]}
            />
          </Group>
          {view === "form" && form}
          {view === "yaml" && yaml}
          {view === "both" && (
            <Grid gap="lg">
              <Grid.Col span={half}>{form}</Grid.Col>
              <Grid.Col span={half}>
                <div className={classes.beside}>{yaml}</div>
              </Grid.Col>
            </Grid>
          )}
        </Paper>
      </Grid.Col>
      {view === "both" ? (
        <>
          <Grid.Col span={{ base: 12, lg: 7 }}>{plan}</Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>{run}</Grid.Col>
        </>
      ) : (
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md" className={classes.beside}>
            {plan}
            {run}
          </Stack>
        </Grid.Col>
      )}
    </Grid>
  );
}
