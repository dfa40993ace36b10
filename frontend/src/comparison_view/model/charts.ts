import type { AxisValue, Figure, Point } from "~/api/types";
import type { Bar, BarGroup, Curve, PointState } from "~/charts/types";
import { type Layout, placeKey } from "./layout";
import type { ComparedMetric } from "./metrics";
import type { Sides } from "./sides";
import { effectAt, type Spot } from "./spots";
import { stateOf, type Why, whySilent } from "./why";

/** What the mapping needs to speak the user's language. */
export interface Say {
  /** A point on some axes, in words. */
  point: (point: Point, axes: readonly string[]) => string;
  why: (why: Why) => string;
}

/** The spots of one chart: all of them, or those of one value of the facet. */
export interface Facet {
  key: string;
  value: AxisValue | undefined;
  spots: Spot[];
}

interface Mark {
  figure: Figure | null;
  n: number;
  state: PointState;
  note?: string;
}

export function facetsOf(spots: Spot[], layout: Layout): Facet[] {
  const { facet } = layout;
  if (facet === undefined) return [{ key: "", value: undefined, spots }];
  return (layout.axes.get(facet) ?? []).map((value) => ({
    key: String(value),
    value,
    spots: spots.filter((spot) => spot.point[facet] === value),
  }));
}

/** Both sides' medians over a numeric x: one curve for each side and each rest. */
export function curvesOf(
  spots: Spot[],
  layout: Layout,
  sides: Sides,
  metric: ComparedMetric,
  say: Say,
): Curve[] {
  const rests = [...grouped(spots, layout.series)];
  return sides.all.flatMap((side, index) =>
    rests.map(([key, members]) => ({
      key: `${index}:${key}`,
      label: labelOf(side.short, members[0], layout.series, say),
      points: members
        .map((spot) => ({
          x: spot.point[layout.x ?? ""] as number,
          ...valueAt(spot, index, metric, say),
        }))
        .sort((one, two) => one.x - two.x),
    })),
  );
}

/** Both sides' medians where x is a word, or there is none: a bar for each side. */
export function valueBars(
  spots: Spot[],
  layout: Layout,
  sides: Sides,
  metric: ComparedMetric,
  say: Say,
): BarGroup[] {
  return groupsOf(spots, layout, say, (spot) =>
    sides.all.map((side, index) => ({
      key: String(index),
      label: side.short,
      ...valueAt(spot, index, metric, say),
    })),
  );
}

/**
 * What every contender changes, as a share of the baseline; `relative` false: in the metric's
 * unit, for a metric of which some value is zero or negative, so that a share has no meaning.
 */
export function changeBars(
  spots: Spot[],
  layout: Layout,
  sides: Sides,
  metric: ComparedMetric,
  relative: boolean,
  say: Say,
): BarGroup[] {
  return groupsOf(spots, layout, say, (spot) =>
    sides.contenders.map((side, place) => ({
      key: String(place),
      label: side.short,
      ...changeAt(spot, place, metric, relative, say),
    })),
  );
}

/** Whether every effect of the metric has a ratio. */
export function isRelative(spots: Spot[], metric: ComparedMetric): boolean {
  return spots.every((spot) =>
    spot.cells.every((cell) => effectAt(cell, metric.key)?.ratio !== null),
  );
}

/** A ratio of 0.9 [0.85, 0.95] as a change of −0.1 [−0.15, −0.05]. */
export function changeOf(ratio: Figure): Figure {
  const less = (bound: number | null | undefined) => (bound == null ? bound : bound - 1);
  return { ...ratio, value: ratio.value - 1, low: less(ratio.low), high: less(ratio.high) };
}

/** `index` 0 is the baseline, as in `Sides.all`. */
function valueAt(spot: Spot, index: number, metric: ComparedMetric, say: Say): Mark {
  const cells = index === 0 ? spot.cells : [spot.cells[index - 1]];
  const side = index === 0 ? "baseline" : "contender";
  for (const cell of cells) {
    const arm = effectAt(cell, metric.key)?.[side];
    if (arm?.median) return { figure: arm.median, n: arm.n, state: "measured" };
  }
  return absent(spot, index, say);
}

function changeAt(
  spot: Spot,
  place: number,
  metric: ComparedMetric,
  relative: boolean,
  say: Say,
): Mark {
  const effect = effectAt(spot.cells[place], metric.key);
  if (effect === undefined) return absent(spot, place + 1, say);
  const n = Math.min(effect.baseline.n, effect.contender.n);
  const figure = relative ? effect.ratio && changeOf(effect.ratio) : effect.shift;
  if (figure !== null) return { figure, n, state: "measured" };
  return { figure, n, state: "missing", note: say.why({ because: "no_ratio" }) };
}

/** Why a side has no value at a spot; never a zero. */
function absent(spot: Spot, index: number, say: Say): Mark {
  const cell = index === 0 ? spot.cells.find((one) => one !== undefined) : spot.cells[index - 1];
  const nothing = { figure: null, n: 0 };
  if (cell === undefined || "alone" in cell) {
    const state = index === 0 && cell ? stateOf(cell.alone) : "missing";
    return { ...nothing, state, note: say.why({ because: "unpaired" }) };
  }
  const { pair } = cell;
  const state = stateOf(index === 0 ? pair.baseline : pair.contender);
  const why = pair.effects.length === 0 ? whySilent(pair) : ({ because: "not_measured" } as const);
  return { ...nothing, state, note: say.why(why) };
}

function groupsOf(
  spots: Spot[],
  layout: Layout,
  say: Say,
  bars: (spot: Spot) => Bar[],
): BarGroup[] {
  const axes = [...layout.series, ...(layout.x === undefined ? [] : [layout.x])];
  const named = axes.length > 0 ? axes : Object.keys(spots[0]?.point ?? {});
  return [...grouped(spots, layout.series).values()]
    .flatMap((members) => inOrder(members, layout))
    .map((spot) => ({
      key: String(spot.caseId),
      label: say.point(spot.point, named),
      bars: bars(spot),
    }));
}

function inOrder(members: Spot[], layout: Layout): Spot[] {
  const { x } = layout;
  if (x === undefined) return members;
  const order = layout.axes.get(x) ?? [];
  const place = (spot: Spot) => order.indexOf(spot.point[x] as AxisValue);
  return [...members].sort((one, two) => place(one) - place(two));
}

function grouped(spots: Spot[], axes: readonly string[]): Map<string, Spot[]> {
  const groups = new Map<string, Spot[]>();
  for (const spot of spots) {
    const key = placeKey(spot.point, axes);
    groups.set(key, [...(groups.get(key) ?? []), spot]);
  }
  return groups;
}

function labelOf(side: string, spot: Spot | undefined, axes: readonly string[], say: Say): string {
  const rest = spot === undefined ? "" : say.point(spot.point, axes);
  return rest === "" ? side : `${side} · ${rest}`;
}
