import type { ComponentType } from "react";
import type { Schemas } from "~/api/types";
import type { ChartView } from "~/charts/view";

export interface SubjectProps {
  content: Schemas["SnapshotContent"];
  view: ChartView;
  onView: (view: ChartView) => void;
}

/** What shows the run or the comparison; only the one that is needed is loaded. */
export async function subjectOf({
  subject,
}: Schemas["SnapshotContent"]): Promise<ComponentType<SubjectProps>> {
  if (subject === "run") {
    const { ReportExplorer } = await import("~/charts/report/report_explorer");
    return ({ content: { run }, ...view }) => run && <ReportExplorer report={run} {...view} />;
  }
  const { ComparisonView } = await import("~/comparison_view/comparison_view");
  return ({ content: { comparison }, ...view }) =>
    comparison && <ComparisonView comparison={comparison} {...view} />;
}
