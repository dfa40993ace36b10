import type { Comparison, Point } from "~/api/types";
import { IsAnswer } from "~/charts/chart_frame";
import { ShownAsInAddress } from "~/charts/shown_as";
import { defined } from "~/ui/search_values";
import { useLatest } from "~/ui/use_latest";
import { AnswerChart, ChartsSection } from "./charts_section";
import { useSides } from "./use_words";
import type { ChangeView, ComparisonViewState } from "./view";

/** What was compared, drawn as the view says, and nothing else of it: all, or one chart alone. */
export function ComparisonCharts({
  comparison,
  view,
  onView,
  about,
}: {
  comparison: Comparison;
  view: ComparisonViewState;
  /** Gets the whole next view. */
  onView: (view: ComparisonViewState) => void;
  /** One chart alone: that which shows this case, else the first. */
  about?: Point | "first";
}) {
  const sides = useSides(comparison);
  const change: ChangeView = useLatest((part) => onView(defined({ ...view, ...part })));
  return (
    <ShownAsInAddress view={view} change={change}>
      {about === undefined ? (
        <ChartsSection comparison={comparison} sides={sides} view={view} change={change} />
      ) : (
        <IsAnswer value>
          <AnswerChart
            comparison={comparison}
            sides={sides}
            view={view}
            change={change}
            about={about}
          />
        </IsAnswer>
      )}
    </ShownAsInAddress>
  );
}
