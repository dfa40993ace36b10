import { useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { metricOf } from "~/api/headline";
import type { Point, RunReport } from "~/api/types";
import { useLatest } from "~/ui/use_latest";
import { useStableValue } from "~/ui/use_stable_value";
import { IsAnswer } from "../chart_frame";
import { panelAbout } from "../layout/panels";
import { ProvenanceOf } from "../provenance";
import { reachIn } from "../reach";
import { ShownAsInAddress } from "../shown_as";
import type { ChartView } from "../view";
import { MetricCharts } from "./metric_charts";
import { useProvenanceLines } from "./provenance_lines";
import { useSelection } from "./use_selection";

/** The view without a metric that this report has no summaries of: the answer's is drawn then. */
function drawable(view: ChartView, { summaries }: RunReport): ChartView {
  const { metric, ...rest } = view;
  return summaries.some(({ key }) => key.metric === metric) ? view : rest;
}

type Selection = NonNullable<ReturnType<typeof useSelection>["selection"]>;

/** Of what is drawn the one chart that shows a case, in a scale of its own; all without a case. */
function partAbout(drawn: Selection, about: Point | "first" | undefined): Selection {
  if (about === undefined) return drawn;
  const { entries, layout, metric } = drawn;
  const panels = panelAbout(drawn.panels, layout.facets, about);
  const whole = metric.parts.length > 0;
  return {
    ...drawn,
    panels,
    reach: whole ? drawn.reach : reachIn(entries, layout.facets, panels[0]),
  };
}

/** What a run measured, drawn as the view says, and nothing else of it: all, or one chart alone. */
export function ReportCharts({
  report,
  view,
  onView,
  about,
}: {
  report: RunReport;
  view: ChartView;
  /** Gets the whole next view. */
  onView: (view: ChartView) => void;
  /** One chart alone: that which shows this case, else the first. */
  about?: Point | "first";
}) {
  const asked =
    about === undefined ? view : { ...metricOf(report.headline), ...drawable(view, report) };
  const { t } = useTranslation("charts");
  const by = about === undefined ? "medians" : "centres";
  const drawn = useDeferredValue(useSelection(report, asked, by).selection);
  const change = useLatest((part: ChartView) => onView({ ...view, ...part }));
  const lines = useProvenanceLines(report);
  // Callers read the case from the headline each time they are drawn.
  const stated = useStableValue(about);
  const shown = useMemo(() => drawn && partAbout(drawn, stated), [drawn, stated]);
  if (shown === null) return null;
  return (
    <ProvenanceOf lines={lines}>
      <ShownAsInAddress view={view} change={change}>
        <IsAnswer value={about !== undefined}>
          <MetricCharts
            {...shown}
            description={shown.centred ? t("centres") : undefined}
            onScale={change}
          />
        </IsAnswer>
      </ShownAsInAddress>
    </ProvenanceOf>
  );
}
