import type { AxisValue, Point } from "~/api/types";
import { useWords } from "~/i18n/words";

/** A case's point in words: "Path pod-pod-across · Protocol tcp"; only `axes` where given. */
export function usePointText(): (point: Point, axes?: readonly string[]) => string {
  const word = useWords();
  return (point, axes = Object.keys(point)) =>
    axes
      .filter((axis) => axis in point)
      .map((axis) => `${word("axis", axis)} ${word("axis_value", point[axis] as AxisValue)}`)
      .join(" · ");
}
