import { useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { metricOf } from "~/api/headline";
import type { Point, RunReport } from "~/api/types";
import { useLatest } from "~/ui/use_latest";
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
  if (drawn === null) return null;
  const panels =
    about === undefined ? drawn.panels : panelAbout(drawn.panels, drawn.layout.facets, about);
  const { entries, centred, layout } = drawn;
  const alone = about !== undefined && drawn.metric.parts.length === 0;
  const reach = alone ? reachIn(entries, layout.facets, panels[0]) : drawn.reach;
  return (
    <ProvenanceOf lines={lines}>
      <ShownAsInAddress view={view} change={change}>
        <IsAnswer value={about !== undefined}>
          <MetricCharts
            {...drawn}
            panels={panels}
            reach={reach}
            description={centred ? t("centres") : undefined}
            onScale={change}
          />
        </IsAnswer>
      </ShownAsInAddress>
    </ProvenanceOf>
  );
}
