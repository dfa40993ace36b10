import type { RunReport } from "~/api/types";
import type { ChartView } from "../view";

export interface ReportExplorerProps {
  report: RunReport;
  view: ChartView;
  /** Gets the whole next view; put it into the page's address. */
  onView: (view: ChartView) => void;
  /** Where a case is shown; its name is a link then. */
  caseHref?: (caseId: number) => string;
}

/** What a run found: findings, charts by the view, losses, the table of all summaries. */
export function ReportExplorer({ report }: ReportExplorerProps) {
  return <section aria-label={report.run.name} />;
}
