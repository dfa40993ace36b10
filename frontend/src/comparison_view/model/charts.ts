import { type Effect, figureOf, textOf } from "~/api/rows";
import type { Comparison, Figure } from "~/api/types";
import { hueOf } from "~/charts/hues";
import { type Axes, varyingAxes } from "~/charts/layout/axes";
import type { Entry } from "~/charts/layout/entry";
import { type Layout, layoutOf } from "~/charts/layout/layout";
import type { HueOf, NameValue } from "~/charts/layout/panels";
import { middle } from "~/charts/middle";
import type { ChartView } from "~/charts/view";
import { type ComparedCase, effectAt } from "./compared_cases";
import type { ComparedMetric } from "./metrics";
import type { Sides } from "./sides";
import { stateOf, type Why, whySilent } from "./why";

/** How it is said why there is no value. */
export type Say = (why: Why) => string;

type Mark = Pick<Entry, "figure" | "n" | "trials" | "state" | "note">;

/** Which side a value is of, as one more axis: its place in `Sides.all`. */
export const SIDE = "side";

/** Where the axes on which spots differ go; the sides are distinguished in each chart. */
export function spotLayout(
  comparison: Comparison,
  spots: readonly ComparedCase[],
  view: ChartView,
): { axes: Axes; layout: Layout } {
  const points = spots.map(({ point }) => point);
  const axes = varyingAxes(points, comparison.axis_facts ?? []);
  return { axes, layout: layoutOf(axes, view, comparison.contenders.length + 1) };
}

/** The layout of entries, which have their side too. */
export function withSides(layout: Layout): Layout {
  return { ...layout, series: [SIDE, ...layout.series] };
}

export function namedSides(sides: Sides, name: NameValue): NameValue {
  return (axis, value) =>
    axis === SIDE ? (sides.all[Number(value)]?.short ?? "") : name(axis, value);
}

/** A side has the hue of its value on the first compared axis that tells the sides apart. */
export function huedSides(sides: Sides): HueOf {
  return (axis, value, met) => {
    if (axis !== SIDE) return hueOf(axis, value, met);
    const hues = sides.all.map(({ hued }) => hued && hueOf(hued.axis, hued.value));
    const apart = new Set(hues).size === hues.length && !hues.includes(undefined);
    return apart ? (hues[Number(value)] ?? 0) : Number(value);
  };
}

/** Both sides' medians. */
export function valueEntries(
  spots: readonly ComparedCase[],
  sides: Sides,
  metric: ComparedMetric,
  say: Say,
): Entry[] {
  return sides.all.flatMap((_, index) =>
    spots.map((spot) => entryAt(spot, index, valueAt(spot, index, metric, say))),
  );
}

/**
 * What every contender changes, as a share of the baseline; `relative` false: in the metric's
 * unit, for a metric of which some value is zero or negative, so that a share has no meaning.
 */
export function changeEntries(
  spots: readonly ComparedCase[],
  sides: Sides,
  metric: ComparedMetric,
  relative: boolean,
  say: Say,
): Entry[] {
  return sides.contenders.flatMap((_, place) =>
    spots.map((spot) => entryAt(spot, place + 1, changeAt(spot, place, metric, relative, say))),
  );
}

/** Whether every effect of the metric has a ratio. */
export function isRelative(spots: readonly ComparedCase[], metric: ComparedMetric): boolean {
  return spots.every((spot) =>
    spot.cells.every((cell) => effectAt(cell, metric.key)?.ratio.value !== null),
  );
}

/** A ratio of 0.9 [0.85, 0.95] as a change of −0.1 [−0.15, −0.05]. */
export function changeOf(ratio: Figure): Figure {
  const less = (bound: number | null | undefined) => (bound == null ? bound : bound - 1);
  return { ...ratio, value: ratio.value - 1, low: less(ratio.low), high: less(ratio.high) };
}

function entryAt({ caseId, point }: ComparedCase, index: number, mark: Mark): Entry {
  return { caseId, point: { ...point, [SIDE]: index }, ...mark };
}

/** `index` 0 is the baseline, as in `Sides.all`. */
function valueAt(spot: ComparedCase, index: number, metric: ComparedMetric, say: Say): Mark {
  const cells = index === 0 ? spot.cells : [spot.cells[index - 1]];
  const side = index === 0 ? "baseline" : "contender";
  for (const cell of cells) {
    const arm = effectAt(cell, metric.key)?.[side];
    const figure = arm && figureOf(arm.centre ?? arm.median);
    if (arm && figure) {
      return { figure, n: arm.median.n ?? 0, trials: arm.values.flat(), state: "measured" };
    }
  }
  return absent(spot, index, say);
}

function changeAt(
  spot: ComparedCase,
  place: number,
  metric: ComparedMetric,
  relative: boolean,
  say: Say,
): Mark {
  const effect = effectAt(spot.cells[place], metric.key);
  if (effect === undefined) return absent(spot, place + 1, say);
  const n = Math.min(effect.baseline.median.n ?? 0, effect.contender.median.n ?? 0);
  const ratio = figureOf(effect.ratio);
  const figure = relative ? ratio && changeOf(ratio) : figureOf(effect.difference);
  if (figure !== null)
    return { figure, n, trials: roundChanges(effect, relative), state: "measured" };
  return { figure, n, state: "missing", note: say({ because: "no_ratio" }) };
}

/** What each round by itself says of the change; nothing where there is one round alone. */
function roundChanges(effect: Effect, relative: boolean): number[] {
  const rounds = effect.baseline.values.flatMap((one, index) => {
    const other = effect.contender.values[index] ?? [];
    const [before, after] = [middle(one), middle(other)];
    if (before === null || after === null) return [];
    return [relative ? after / before - 1 : after - before];
  });
  return rounds.length > 1 && textOf(effect.ratio, "level") !== "run" ? rounds : [];
}

/** Why a side has no value at a spot; never a zero. */
function absent(spot: ComparedCase, index: number, say: Say): Mark {
  const cell = index === 0 ? spot.cells.find((one) => one !== undefined) : spot.cells[index - 1];
  const nothing = { figure: null, n: 0 };
  if (cell === undefined || "alone" in cell) {
    // It was measured, where it did not fail: there is nothing to compare it with.
    const known = cell === undefined ? "missing" : stateOf(cell.alone);
    const state = known === "missing" ? "unpaired" : known;
    return { ...nothing, state, note: say({ because: "unpaired" }) };
  }
  const { pair } = cell;
  const state = stateOf(index === 0 ? pair.baseline : pair.contender);
  const why = pair.effects.length === 0 ? whySilent(pair) : ({ because: "not_measured" } as const);
  return { ...nothing, state, note: say(why) };
}
