import type { ComponentType } from "react";
import type { Schemas } from "~/api/types";
import { readChartView } from "~/charts/view";
import { readComparisonView } from "~/comparison_view/view";
import type { Search } from "./address";

export interface SubjectProps {
  content: Schemas["SnapshotContent"];
  search: Search;
  /** Gets the whole next view. */
  onView: (view: object) => void;
}

/** What shows the run or the comparison; only the one that is needed is loaded. */
export async function subjectOf({
  subject,
}: Schemas["SnapshotContent"]): Promise<ComponentType<SubjectProps>> {
  if (subject === "run") {
    const { ReportExplorer } = await import("~/charts/report/report_explorer");
    return ({ content: { run }, search, onView }) =>
      run && <ReportExplorer report={run} view={readChartView(search)} onView={onView} />;
  }
  const { ComparisonView } = await import("~/comparison_view/comparison_view");
  return ({ content: { comparison }, search, onView }) =>
    comparison && (
      <ComparisonView comparison={comparison} view={readComparisonView(search)} onView={onView} />
    );
}
