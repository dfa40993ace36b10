import { Alert, Skeleton, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useAwaySince } from "~/api/connection";
import { caseOf } from "~/api/headline";
import { ProblemError } from "~/api/problem";
import { hasCounted } from "~/charts/report/entries";
import { HowDecided, ReportCharts } from "~/charts/report/report_explorer";
import { NO_VIEW, readChartView } from "~/charts/view";
import { FavouriteButton } from "~/list_tools/favourite_button";
import { MarksLine } from "~/list_tools/marks_line";
import { useMe } from "~/queries/accounts";
import {
  type NewRepetition,
  type RunDetail,
  reportOptions,
  useLeavingRun,
  useRepeat,
  watchedRunOptions,
} from "~/queries/runs";
import { RunBadge } from "~/ui/badges";
import { EvidenceTabs } from "~/ui/evidence_tabs";
import { PartBoundary } from "~/ui/failed_part";
import { Headline } from "~/ui/headline";
import { lazyPart } from "~/ui/lazy_part";
import { isMissing, Missing } from "~/ui/missing";
import { NextRun } from "~/ui/next_run";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { RepeatRun } from "~/ui/repeat_run";
import { useSearchState } from "~/ui/use_search_state";
import { CasesTab } from "./cases_tab";
import { EnvironmentTab } from "./environment_tab";
import { LiveNotice } from "./live_notice";
import { LiveNow } from "./live_now";
import { LogTab } from "./log_tab";
import { needed } from "./needed";
import { ResultsTab } from "./results_tab";
import { RunActions } from "./run_actions";
import { RunDrawer } from "./run_drawer";
import { CancellingBadge, RunFacts } from "./run_facts";
import { RunProgress } from "./run_progress";
import { firstTab, TABS, type Tab } from "./search";
import { useLive } from "./use_live";
import { useRunSign, useRunTitle } from "./use_run_sign";

/** Loaded when it is opened: it takes a library for YAML. */
const SpecificationTab = lazyPart(() => import("./specification_tab"), "SpecificationTab");

/** `/runs/$runId`: one run as it continues, and all that it left. */
export function RunPage() {
  const { t } = useTranslation("runs");
  const { runId } = useParams({ from: "/inside/runs/$runId" });
  const search = useSearch({ from: "/inside/runs/$runId" });
  const leaving = useLeavingRun(runId);
  const query = useQuery(watchedRunOptions(runId, leaving));
  const refused = query.error instanceof ProblemError ? query.error : null;
  const away = useAwaySince() !== null;
  const live = useLive(runId, query.data, leaving || refused !== null);
  const rest = useQueries({ queries: query.data ? needed(query.data, search) : [] });
  const waiting = query.isPending || rest.some((one) => one.isPending);

  const run = query.data;
  const tabTitle = useRunTitle(run);
  useRunSign(run);
  if (isMissing(refused)) return <Missing what="run" />;
  if (run === undefined) {
    return (
      <Page title={t("run")} ready={query.error !== null}>
        {query.error && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      </Page>
    );
  }
  return (
    <Page
      title={run.name}
      tabTitle={tabTitle}
      status={
        <>
          <FavouriteButton
            thing="run"
            id={run.id}
            name={run.name}
            favourite={run.marks.favourite}
          />
          <RunBadge run={run} />
          <CancellingBadge run={run} />
        </>
      }
      subtitle={
        <>
          <RunFacts run={run} />
          <MarksLine thing="run" id={run.id} marks={run.marks} />
        </>
      }
      actions={<RunActions run={run} />}
      ready={!waiting}
    >
      {refused && <ProblemAlert error={refused} />}
      {run.reason && run.outcome === "failed" && (
        <Alert color="red" icon={<IconAlertTriangle />} title={t("failed_title")}>
          <Text size="sm">{run.reason.text}</Text>
          <Text size="sm">{t("failed_text")}</Text>
        </Alert>
      )}
      {run.reason && run.outcome !== null && !["succeeded", "failed"].includes(run.outcome) && (
        <Text>{t("because", { reason: run.reason.text })}</Text>
      )}
      {run.outcome !== "succeeded" && <RunProgress run={run} />}
      {GOES_ON.includes(run.state) && <LiveNow run={run} />}
      <RunTabs run={run} />
      <RunDrawer run={run} />
      {live === "lost" && !away && <LiveNotice at={query.dataUpdatedAt} />}
    </Page>
  );
}

/** While there is something to watch in the cluster. */
const GOES_ON: RunDetail["state"][] = ["running", "waiting", "cleaning"];

/** What it found, as soon as all is measured: the answer, its chart, and what to do next. */
function Found({ run }: { run: RunDetail }) {
  const report = useQuery({ ...reportOptions(run.id, "main"), enabled: run.state === "finished" });
  const [search, change] = useSearchState("/inside/runs/$runId");
  if (run.state !== "finished" || !report.data || !hasCounted(report.data)) return null;
  const { headline, next_run } = report.data;
  return (
    <Headline
      headline={headline}
      chart={
        <ReportCharts
          report={report.data}
          view={readChartView({ ...search })}
          onView={(view) => change({ ...NO_VIEW, ...view })}
          about={caseOf(headline) ?? "first"}
        />
      }
      decided={<HowDecided report={report.data} about={caseOf(headline)} />}
    >
      <NextRun next={next_run}>{next_run && <Repeat runId={run.id} changes={next_run} />}</NextRun>
    </Headline>
  );
}

function Repeat({ runId, changes }: { runId: string; changes: NewRepetition }) {
  const may = useMe().may("operator");
  return <RepeatRun changes={changes} may={may} use={(...asked) => useRepeat(runId, ...asked)} />;
}

/** The answer, and below it all that it rests on. */
function RunTabs({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const { tab = firstTab(run) } = useSearch({ from: "/inside/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const Panel = PANELS[tab];
  const open = (next: Tab) =>
    void navigate({
      search: (old) => ({ ...old, tab: next === firstTab(run) ? undefined : next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <EvidenceTabs
      label={t("parts")}
      tabs={TABS.map((one) => ({ value: one, label: t(`tab_${one}`) }))}
      value={tab}
      onChange={open}
      answer={<Found run={run} />}
    >
      <PartBoundary part={tab}>
        <Suspense fallback={<Skeleton height={240} />}>
          <Panel run={run} />
        </Suspense>
      </PartBoundary>
    </EvidenceTabs>
  );
}

const PANELS = {
  cases: CasesTab,
  results: ResultsTab,
  log: LogTab,
  environment: EnvironmentTab,
  specification: SpecificationTab,
} satisfies Record<Tab, unknown>;
