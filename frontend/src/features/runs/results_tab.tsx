import { Alert, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { hasCounted } from "~/charts/report/entries";
import { ReportExplorer } from "~/charts/report/report_explorer";
import { NO_VIEW, readChartView } from "~/charts/view";
import { PublishedBeside } from "~/published/published_beside";
import { usePublished } from "~/published/use_published";
import { type RunDetail, reportOptions } from "~/queries/runs";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { useSearchState } from "~/ui/use_search_state";
import { ChangesSection } from "./changes_section";
import { NO_TRIAL } from "./search";

/** What was measured so far, drawn. */
export function ResultsTab({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const [search, change] = useSearchState("/inside/runs/$runId");
  const router = useRouter();
  const report = useQuery(reportOptions(run.id, "all"));
  const published = usePublished(run.kind, search.published);
  const caseHref = (caseId: number) =>
    router.buildLocation({
      to: "/runs/$runId",
      params: { runId: run.id },
      search: { ...search, case: caseId, ...NO_TRIAL },
    }).href;

  return (
    <Loaded query={report} lines={8}>
      {(found) =>
        !hasCounted(found) ? (
          <EmptyState
            title={t(run.state === "finished" ? "no_results" : "no_results_yet")}
            action={
              <ButtonLink
                to="/runs/$runId"
                params={{ runId: run.id }}
                search={{ tab: run.state === "finished" ? "cases" : "log" }}
                variant="default"
              >
                {t(run.state === "finished" ? "to_cases" : "to_log")}
              </ButtonLink>
            }
          >
            {t(run.state === "finished" ? "no_results_text" : "no_results_yet_text")}
          </EmptyState>
        ) : (
          <Stack>
            {run.state !== "finished" && (
              <Alert role="note" color="blue">
                {t("partial_results")}
              </Alert>
            )}
            <PublishedBeside
              {...published}
              chosen={search.published}
              onChoose={(published) => change({ published })}
              axes={found.axes}
            >
              <ReportExplorer
                report={found}
                view={readChartView({ ...search })}
                onView={(view) => change({ ...NO_VIEW, ...view })}
                caseHref={caseHref}
              />
            </PublishedBeside>
            {run.state === "finished" && run.experiment_id !== null && <ChangesSection run={run} />}
          </Stack>
        )
      }
    </Loaded>
  );
}
