import type { AxisValue, Figure, Point } from "~/api/types";
import type { PointState } from "../types";

/** What tells values of one metric of one case apart, as an axis. */
export const SUBJECT = "subject";

/** One value at one point of the matrix, or why there is none. */
export interface Entry {
  caseId: number;
  /** What tells values of one case apart, a node's role or a compared side, is one more axis. */
  point: Point;
  figure: Figure | null;
  /** Of a change: the same in the metric's own unit, and whether it is one, or none, for sure. */
  difference?: Figure | null;
  clear?: boolean;
  n: number;
  trials?: readonly number[];
  state: PointState;
  note?: string;
}

/** A case as a metric sees it. */
interface Candidate {
  point: Point;
  /** Whether it has the metric. */
  has: boolean;
  /** Whether anything of it was counted. */
  counted: boolean;
}

/**
 * Cases of which nothing was counted and whose neighbours have the metric.
 *
 * A case is a neighbour's if it has the same axes, and on each of them a value of which some
 * case has the metric. A value of which nothing at all was counted is given the benefit of the
 * doubt, unless the axis is one that decides whether there is such a metric.
 */
export function casesWithout<Case extends Candidate>(cases: readonly Case[]): Case[] {
  const shapes = new Set<string>();
  const withMetric = new Map<string, Set<AxisValue>>();
  const withAny = new Map<string, Set<AxisValue>>();
  for (const { point, has, counted } of cases) {
    if (!counted) continue;
    if (has) shapes.add(shapeOf(point));
    for (const [axis, value] of Object.entries(point)) {
      add(withAny, axis, value);
      if (has) add(withMetric, axis, value);
    }
  }
  const fits = ([axis, value]: [string, AxisValue]) => {
    const yes = withMetric.get(axis) ?? new Set();
    if (yes.has(value)) return true;
    const any = withAny.get(axis) ?? new Set();
    return !any.has(value) && any.size === yes.size;
  };
  return cases.filter(
    ({ point, counted }) =>
      !counted && shapes.has(shapeOf(point)) && Object.entries(point).every(fits),
  );
}

const shapeOf = (point: Point) => Object.keys(point).toSorted().join(" ");

function add(map: Map<string, Set<AxisValue>>, axis: string, value: AxisValue): void {
  const values = map.get(axis) ?? new Set();
  values.add(value);
  map.set(axis, values);
}
