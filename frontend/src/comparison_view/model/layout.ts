import type { AxisValue, Comparison, Point } from "~/api/types";
import type { ScaleName } from "~/charts/types";
import type { ComparisonViewState } from "../view";
import type { Spot } from "./spots";

/** Which axis goes where in the charts of a metric. */
export interface Layout {
  /** The axes on which the spots differ, with their values in order. */
  axes: ReadonlyMap<string, AxisValue[]>;
  x: string | undefined;
  facet: string | undefined;
  /** All others: with the sides they tell curves apart. */
  series: string[];
  /** Whether x is a number that lines can be drawn over. */
  numeric: boolean;
  xScale: ScaleName;
  yScale: ScaleName;
}

/** In the address: no facet although there is a suggestion. */
export const NO_FACET = "none";
/** More curves than this in one chart cannot be told apart. */
const MOST_CURVES = 8;
const LOG_FROM = 100;

/** The layout that `view` asks for where the spots have such axes, the best guess elsewhere. */
export function layoutOf(comparison: Comparison, spots: Spot[], view: ComparisonViewState): Layout {
  const axes = varying(spots);
  const x = view.x !== undefined && axes.has(view.x) ? view.x : bestX(comparison, axes);
  const rest = [...axes.keys()].filter((axis) => axis !== x);
  const facet = facetOf(view.facet, rest, axes, comparison.contenders.length + 1);
  const values = x === undefined ? [] : (axes.get(x) ?? []);
  const numeric = values.length >= 2 && values.every((value) => typeof value === "number");
  return {
    axes,
    x,
    facet,
    series: rest.filter((axis) => axis !== facet),
    numeric,
    xScale: view.xScale ?? (numeric ? naturalScale(values as number[]) : "linear"),
    yScale: view.yScale ?? "linear",
  };
}

/** The values of a point on some axes, as a key. */
export function placeKey(point: Point, axes: readonly string[]): string {
  return axes.map((axis) => `${axis}=${point[axis] ?? ""}`).join(",");
}

function varying(spots: Spot[]): Map<string, AxisValue[]> {
  const values = new Map<string, Set<AxisValue>>();
  for (const { point } of spots) {
    for (const [axis, value] of Object.entries(point)) {
      values.set(axis, (values.get(axis) ?? new Set()).add(value));
    }
  }
  return new Map(
    [...values].filter(([, found]) => found.size > 1).map(([axis, found]) => [axis, sorted(found)]),
  );
}

function sorted(found: Set<AxisValue>): AxisValue[] {
  const values = [...found];
  return values.every((value) => typeof value === "number")
    ? values.sort((one, two) => one - two)
    : values;
}

/** The ladder if the run climbed one, else the axis with most values, numbers before words. */
function bestX(comparison: Comparison, axes: ReadonlyMap<string, AxisValue[]>): string | undefined {
  const ladder = comparison.contenders.flatMap((one) => one.curves)[0]?.axis;
  if (ladder !== undefined && axes.has(ladder)) return ladder;
  const weight = (values: AxisValue[]) =>
    values.length + (values.every((value) => typeof value === "number") ? 0.5 : 0);
  const ordered = [...axes].sort(([, one], [, two]) => weight(two) - weight(one));
  return ordered[0]?.[0];
}

function facetOf(
  asked: string | undefined,
  rest: string[],
  axes: ReadonlyMap<string, AxisValue[]>,
  sides: number,
): string | undefined {
  if (asked === NO_FACET) return undefined;
  if (asked !== undefined && rest.includes(asked)) return asked;
  const size = (axis: string) => axes.get(axis)?.length ?? 1;
  const curves = rest.reduce((product, axis) => product * size(axis), sides);
  if (curves <= MOST_CURVES) return undefined;
  return [...rest].sort((one, two) => size(two) - size(one))[0];
}

function naturalScale(values: number[]): ScaleName {
  const least = Math.min(...values);
  return least > 0 && Math.max(...values) / least >= LOG_FROM ? "log" : "linear";
}
