import type { ComponentType, ReactNode } from "react";
import { caseOf } from "~/api/headline";
import type { Schemas } from "~/api/types";
import { readChartView } from "~/charts/view";
import { readComparisonView } from "~/comparison_view/view";
import { speakOfShared } from "~/i18n";
import type { Search } from "./address";

type Content = Schemas["SnapshotContent"];

/** What draws the answer of a run or comparison: its chart, and how it was decided. */
export interface DrawnAnswer {
  Chart: (props: SubjectProps) => ReactNode;
  Decided?: (props: Pick<SubjectProps, "content">) => ReactNode;
}

/** Null of subjects that answer no question. */
export async function answerOf({ subject }: Content): Promise<DrawnAnswer | null> {
  if (subject === "run") {
    const { HowDecided, ReportCharts } = await import("~/charts/report/report_explorer");
    return {
      Chart: ({ content: { run }, search, onView }) =>
        run && (
          <ReportCharts
            report={run}
            view={readChartView(search)}
            onView={onView}
            about={caseOf(run.headline) ?? "first"}
          />
        ),
      Decided: ({ content: { run } }) =>
        run && <HowDecided report={run} about={caseOf(run.headline)} />,
    };
  }
  if (subject === "comparison") {
    const { ComparisonCharts } = await import("~/comparison_view/comparison_view");
    return {
      Chart: ({ content: { comparison }, search, onView }) =>
        comparison && (
          <ComparisonCharts
            comparison={comparison}
            view={readComparisonView(search)}
            onView={onView}
            about={caseOf(comparison.headline) ?? "first"}
          />
        ),
    };
  }
  return null;
}

export interface SubjectProps {
  content: Content;
  search: Search;
  /** Gets the whole next view. */
  onView: (view: object) => void;
}

/** The component that shows the subject; only the needed one is loaded, with its texts. */
export async function subjectOf({ subject }: Content): Promise<ComponentType<SubjectProps>> {
  switch (subject) {
    case "run": {
      const { ReportExplorer } = await import("~/charts/report/report_explorer");
      return ({ content: { run }, search, onView }) =>
        run && <ReportExplorer report={run} view={readChartView(search)} onView={onView} />;
    }
    case "comparison": {
      const { ComparisonView } = await import("~/comparison_view/comparison_view");
      return ({ content: { comparison }, search, onView }) =>
        comparison && (
          <ComparisonView
            comparison={comparison}
            view={readComparisonView(search)}
            onView={onView}
          />
        );
    }
    case "experiment": {
      const [{ SharedExperiment }] = await Promise.all([
        import("./shared_experiment"),
        speakOfShared(),
      ]);
      return ({ content: { experiment } }) =>
        experiment && <SharedExperiment experiment={experiment} />;
    }
    case "cluster": {
      const [{ SharedCluster }] = await Promise.all([import("./shared_cluster"), speakOfShared()]);
      return ({ content: { cluster } }) => cluster && <SharedCluster cluster={cluster} />;
    }
    case "reproduction": {
      const [{ SharedReproduction }] = await Promise.all([
        import("./shared_reproduction"),
        speakOfShared(),
      ]);
      return ({ content: { reproduction } }) =>
        reproduction && <SharedReproduction articles={reproduction} />;
    }
  }
}
