import type { ComponentType } from "react";
import type { Schemas } from "~/api/types";
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
    const [{ ReportExplorer }, { readChartView }] = await Promise.all([
      import("~/charts/report/report_explorer"),
      import("~/charts/view"),
    ]);
    return ({ content: { run }, search, onView }) =>
      run && <ReportExplorer report={run} view={readChartView(search)} onView={onView} />;
  }
  const [{ ComparisonView }, { readComparisonView }] = await Promise.all([
    import("~/comparison_view/comparison_view"),
    import("~/comparison_view/view"),
  ]);
  return ({ content: { comparison }, search, onView }) =>
    comparison && (
      <ComparisonView comparison={comparison} view={readComparisonView(search)} onView={onView} />
    );
}
