import { useDeferredValue } from "react";
import type { RunReport } from "~/api/types";
import { useLatest } from "~/ui/use_latest";
import { ProvenanceOf } from "../provenance";
import { ShownAsInAddress } from "../shown_as";
import type { ChartView } from "../view";
import { MetricCharts } from "./metric_charts";
import { useProvenanceLines } from "./provenance_lines";
import { useSelection } from "./use_selection";

/** What a run measured, drawn as the view says, and nothing else of it. */
export function ReportCharts({
  report,
  view,
  onView,
}: {
  report: RunReport;
  view: ChartView;
  /** Gets the whole next view. */
  onView: (view: ChartView) => void;
}) {
  const drawn = useDeferredValue(useSelection(report, view).selection);
  const change = useLatest((part: ChartView) => onView({ ...view, ...part }));
  const lines = useProvenanceLines(report);
  if (drawn === null) return null;
  return (
    <ProvenanceOf lines={lines}>
      <ShownAsInAddress view={view} change={change}>
        <MetricCharts {...drawn} onScale={change} />
      </ShownAsInAddress>
    </ProvenanceOf>
  );
}
