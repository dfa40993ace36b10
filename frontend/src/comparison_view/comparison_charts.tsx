import type { Comparison } from "~/api/types";
import { ShownAsInAddress } from "~/charts/shown_as";
import { useLatest } from "~/ui/use_latest";
import { ChartsSection } from "./charts_section";
import { useSides } from "./use_words";
import { type ChangeView, type ComparisonViewState, defined } from "./view";

/** What was compared, drawn as the view says, and nothing else of it. */
export function ComparisonCharts({
  comparison,
  view,
  onView,
}: {
  comparison: Comparison;
  view: ComparisonViewState;
  /** Gets the whole next view. */
  onView: (view: ComparisonViewState) => void;
}) {
  const sides = useSides(comparison);
  const change: ChangeView = useLatest((part) => onView(defined({ ...view, ...part })));
  return (
    <ShownAsInAddress view={view} change={change}>
      <ChartsSection comparison={comparison} sides={sides} view={view} change={change} />
    </ShownAsInAddress>
  );
}
