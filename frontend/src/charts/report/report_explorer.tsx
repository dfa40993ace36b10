import { Alert, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { RunReport } from "~/api/types";
import { useMessageText } from "~/i18n/messages";
import { useWords } from "~/i18n/words";
import { useMomentText } from "~/ui/moment";
import { Section } from "~/ui/section";
import { useLatest } from "~/ui/use_latest";
import { useSame } from "~/ui/use_same";
import { Controls } from "../layout/controls";
import { layoutOf } from "../layout/layout";
import { panelsOf } from "../layout/panels";
import { ProvenanceOf } from "../provenance";
import { reachOf, reachOfWholes } from "../reach";
import { ShownAsInAddress } from "../shown_as";
import { useAfterPaint } from "../use_after_paint";
import type { ChartView } from "../view";
import { entryAxes, metricEntries } from "./entries";
import { Findings } from "./findings";
import { Losses } from "./losses";
import { MetricCharts } from "./metric_charts";
import { metricOptions } from "./metrics";
import { OverheadFacts } from "./overhead_facts";
import { SummaryTable } from "./summary_table";

import { useTexts } from "./use_texts";

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
  const word = useWords();
  const texts = useTexts();
  const options = useMemo(() => metricOptions(report), [report]);
  const choices = options.map(({ name, unit, direction, main }) => ({
    key: name,
    // On a phone a list's end is cut off: which way is better comes before it.
    label: `${word("metric", name)} (${word("direction", direction)}, ${word("unit", unit)})`,
    main,
  }));
  const metric = options.find(({ name }) => name === view.metric) ?? options[0];
  const { x, series, facet, xScale, yScale } = view;
  const drawing = useSame({ x, series, facet, xScale, yScale });
  const selection = useMemo(() => {
    if (metric === undefined) return null;
    const entries = metricEntries(report, metric.name, texts);
    const { parts } = metric;
    const axes = entryAxes(report, entries, parts);
    const whole = parts.length > 0;
    // A whole of several parts is a bar, whatever it is drawn along.
    const asked = layoutOf(axes, drawing);
    const layout = { ...asked, numeric: asked.numeric && !whole };
    const panels = panelsOf(entries, axes, layout, texts.value, parts);
    const reach = whole ? reachOfWholes(panels) : reachOf(entries);
    return { metric, axes, layout, panels, reach, scales: drawing };
  }, [report, metric, drawing, texts]);
  const say = useMessageText();
  const drawn = useAfterPaint(selection);
  const change = useLatest((part: ChartView) => onView({ ...view, ...part }));
  // Callers write it in place; a table of a hundred links is not drawn anew for that.
  const hrefOf = useLatest((caseId: number) => caseHref?.(caseId) ?? "");
  const moment = useMomentText();
  const { run } = report;
  const lines = [
    run.name,
    run.clusters.join(", "),
    moment(run.finished_at ?? run.started_at ?? run.created_at),
  ];
  return (
    <ProvenanceOf lines={lines}>
      <Stack gap="xl">
        {report.warnings.length > 0 && (
          <Alert color="orange" icon={<IconAlertTriangle />} title={t("warnings")}>
            <List size="sm">
              {report.warnings.map((warning) => (
                <List.Item key={warning.text}>{say(warning)}</List.Item>
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
                  onMetric={(next) => onView({ metric: next, yScale })}
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
          <Text c="dimmed">{t("nothing_measured")}</Text>
        ) : (
          <SummaryTable report={report} metric={drawn.metric.name} caseHref={caseHref && hrefOf} />
        )}
        <OverheadFacts overhead={report.overhead} />
      </Stack>
    </ProvenanceOf>
  );
}
