import { Grid, Group, Paper, SegmentedControl, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Kind } from "~/queries/kinds";
import classes from "./experiments.module.css";
import { PlanPanel } from "./plan_panel";
import { RunBar } from "./run_bar";
import { RunPanel } from "./run_panel";
import { type ExperimentSearch, VIEWS } from "./search";
import { SpecForm } from "./spec_form";
import { SpecGuide } from "./spec_guide";
import { useImpossible } from "./use_impossible";
import type { PlanState } from "./use_plan";
import type { Spec } from "./use_spec";
import { useTargetClusters } from "./use_target_clusters";
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
  onRun: (clusterId: string | null, force: boolean) => void;
  /** Below the specification and its plan. */
  children?: ReactNode;
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
  children,
}: EditorProps) {
  const { t } = useTranslation("experiments");
  const where = useTargetClusters(spec, state, search.cluster);
  const impossible = useImpossible(state.plan);
  const clusterNames = (where.clusters.data ?? []).map(({ name }) => name);
  const view = search.view ?? "form";
  const broken = spec.document.faults.length > 0;
  const faults = broken ? [] : state.faults;
  const setView = (next: string) =>
    onSearch({ ...search, view: VIEWS.find((known) => known === next) });
  const guided = view === "guide";

  const form = (
    <SpecForm
      spec={spec}
      kinds={kinds}
      faults={faults}
      clusterNames={clusterNames}
      impossible={impossible}
      resolved={state.plan?.repetition}
      onShowYaml={() => setView(view === "form" ? "yaml" : "both")}
    />
  );
  const guide = (
    <SpecGuide
      spec={spec}
      kinds={kinds}
      faults={faults}
      clusterNames={clusterNames}
      impossible={impossible}
      onShowForm={() => setView("form")}
    />
  );
  const yaml = <YamlPanel spec={spec} faults={faults} kinds={kinds} clusterNames={clusterNames} />;
  const plan = <PlanPanel state={state} kinds={kinds} title={t(guided ? "guide.plan" : "plan")} />;
  const run = (
    <RunPanel
      title={t(guided ? "guide.cluster" : "run")}
      where={where}
      state={state}
      onChoose={(cluster) => onSearch({ ...search, cluster })}
      error={startError}
    />
  );
  const half = { base: 12, lg: 6 };

  return (
    <>
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
                  { value: "guide", label: t("guide.title") },
                  { value: "form", label: t("form") },
                  { value: "yaml", label: t("yaml") },
                  { value: "both", label: t("both") },
                ]}
              />
            </Group>
            {guided && guide}
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
            <Grid.Col span={{ base: 12, lg: 5 }}>{run}</Grid.Col>
            <Grid.Col span={{ base: 12, lg: 7 }}>{plan}</Grid.Col>
          </>
        ) : (
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Stack gap="md" className={classes.beside}>
              {run}
              {plan}
            </Stack>
          </Grid.Col>
        )}
      </Grid>
      {children}
      <RunBar
        where={where}
        state={state}
        savesFirst={savesFirst}
        starting={starting}
        onRun={onRun}
      />
    </>
  );
}
