import { Alert, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import type { RunReport } from "~/api/types";
import { Section } from "~/ui/section";
import { useLatest } from "~/ui/use_latest";
import { Controls } from "../layout/controls";
import { ProvenanceOf } from "../provenance";
import { ShownAsInAddress } from "../shown_as";
import type { ChartView } from "../view";
import { Findings } from "./findings";
import { Losses } from "./losses";
import { MetricCharts } from "./metric_charts";
import { OverheadFacts } from "./overhead_facts";
import { useProvenanceLines } from "./provenance_lines";
import { SummaryTable } from "./summary_table";
import { useSelection } from "./use_selection";

// Of one file: what is drawn apart and with the rest is not loaded in pieces.
export { HowDecided } from "./decided";
export { ReportCharts } from "./report_charts";

export interface ReportExplorerProps {
  report: RunReport;
  view: ChartView;
  /** Gets the whole next view; put it into the page's address. */
  onView: (view: ChartView) => void;
  /** Where a case is shown; its name is a link then. */
  caseHref?: (caseId: number) => string;
}

/** What a run found: findings, losses, charts by the view, the table of all summaries. */
export function ReportExplorer({ report, view, onView, caseHref }: ReportExplorerProps) {
  const { t } = useTranslation("charts");
  const { choices, selection } = useSelection(report, view);
  const drawn = useDeferredValue(selection);
  const change = useLatest((part: ChartView) => onView({ ...view, ...part }));
  // Callers write it in place; a table of a hundred links is not drawn again for that.
  const hrefOf = useLatest((caseId: number) => caseHref?.(caseId) ?? "");
  const lines = useProvenanceLines(report);
  return (
    <ProvenanceOf lines={lines}>
      <Stack gap="xl">
        {report.warnings.length > 0 && (
          <Alert color="orange" icon={<IconAlertTriangle />} title={t("warnings")}>
            <List size="sm">
              {report.warnings.map((warning) => (
                <List.Item key={warning.text}>{warning.text}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Findings findings={report.findings} />
        <ShownAsInAddress view={view} change={change}>
          <Losses report={report} />
          {selection !== null && drawn !== null && (
            <Section title={t("measured")}>
              <Stack gap="md">
                <Controls
                  metrics={choices}
                  metric={selection.metric.name}
                  // Another metric has axes of its own; scales stay where they fit.
                  onMetric={(next) => onView({ metric: next, yScale: view.yScale })}
                  axes={selection.axes}
                  layout={selection.layout}
                  view={view}
                  change={change}
                />
                <MetricCharts {...drawn} onScale={change} />
              </Stack>
            </Section>
          )}
        </ShownAsInAddress>
        {drawn === null ? (
          <Text c="dimmed">
            {t(report.run.state === "finished" ? "nothing_counted" : "nothing_measured")}
          </Text>
        ) : (
          <SummaryTable report={report} metric={drawn.metric.name} caseHref={caseHref && hrefOf} />
        )}
        <OverheadFacts overhead={report.overhead} />
      </Stack>
    </ProvenanceOf>
  );
}
