import type { AxisValue, Point } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatNumber } from "~/quantities/format";

/** A case's point in words: "Path pod-pod-across · Protocol tcp"; only `axes` where given. */
export function usePointText(): (point: Point, axes?: readonly string[]) => string {
  const word = useWords();
  const valueText = useValueText();
  return (point, axes = Object.keys(point)) =>
    axes
      .filter((axis) => axis in point)
      .map((axis) => axisValueText(word("axis", axis), valueText(point[axis] as AxisValue)))
      .join(" · ");
}

/** An axis value in words, a number as numbers are written: "pod→pod", "10,000". */
export function useValueText(): (value: AxisValue) => string {
  const word = useWords();
  return (value) =>
    typeof value === "number" ? formatNumber(value, true) : word("axis_value", value);
}

/** A value that contains its axis, "group a", does not repeat it. */
function axisValueText(axis: string, value: string): string {
  const twice = value.toLowerCase().startsWith(`${axis.toLowerCase()} `);
  return `${axis} ${twice ? value.slice(axis.length + 1) : value}`;
}
