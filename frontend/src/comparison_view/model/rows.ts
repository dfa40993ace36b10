import registry from "~/api/registry.json";
import { type Effect, effectsOf, holds, numberOf } from "~/api/rows";
import type { Comparison, Point, Schemas } from "~/api/types";
import { type ComparisonViewState, type SortKey, VERDICTS } from "../view";
import { keyOf } from "./metrics";

type Pair = Schemas["Pair"];

/** A line of the delta table: an effect, or a pair that has none. */
export interface Row {
  key: string;
  /** The contender's place. */
  place: number;
  pair: Pair;
  effect: Effect | null;
  /** Whether its cases set up a block's modes. */
  setsUp: boolean;
}

const BLOCK_AXES: readonly string[] = registry.block_axes;

export function rowsOf(comparison: Comparison): Row[] {
  return comparison.contenders.flatMap((contender, place) =>
    contender.pairs.flatMap((pair): Row[] => {
      const key = `${place + 1}.${pair.baseline.case_id}`;
      const setsUp = isSetUp(pair, comparison.kind);
      if (pair.effects.length === 0) return [{ key, place, pair, effect: null, setsUp }];
      return effectsOf(pair.effects).map((effect) => ({
        key: `${key}.${keyOf(effect)}`,
        place,
        pair,
        effect,
        setsUp,
      }));
    }),
  );
}

/** All other cases lie on axes of their kind too; nothing was set up for what is imported. */
function isSetUp({ contender }: Pair, kind: string): boolean {
  const axes = Object.keys(contender.point);
  return kind !== "imported" && axes.every((axis) => BLOCK_AXES.includes(axis));
}

/** What all rows share, said once; and the axes on which they differ. */
export function commonGround(rows: readonly Row[]): { everywhere: Point; axes: string[] } {
  const points = rows.map((row) => row.pair.shared);
  const axes = tellingAxes(points);
  const everywhere = Object.entries(points[0] ?? {}).filter(([axis]) => !axes.includes(axis));
  return { everywhere: Object.fromEntries(everywhere), axes };
}

/** The axes on which points differ; all of them where they do on none, so that something is said. */
export function tellingAxes(points: readonly Point[]): string[] {
  const [first = {}] = points;
  const names = [...new Set(points.flatMap((point) => Object.keys(point)))];
  const axes = names.filter((axis) => points.some((point) => point[axis] !== first[axis]));
  return axes.length > 0 ? axes : names;
}

/** The rows that pass the filters, in the order asked for. */
export function shownRows(rows: Row[], view: ComparisonViewState): Row[] {
  const found = rows.filter((row) => passes(row, view));
  if (view.sort === undefined) return found;
  const value = VALUES[view.sort];
  const sign = view.descending ? -1 : 1;
  return found
    .map((row) => ({ row, by: value(row) }))
    .sort((one, two) => compared(one.by, two.by, sign))
    .map(({ row }) => row);
}

function passes({ place, effect }: Row, view: ComparisonViewState): boolean {
  if (view.contender !== undefined && view.contender !== place + 1) return false;
  if (view.verdict !== undefined && view.verdict !== (effect?.ratio.verdict ?? "none"))
    return false;
  if (view.only !== undefined) {
    return effect !== null && keyOf(effect) === view.only;
  }
  return view.all === true || effect === null || holds(effect.ratio, "main");
}

/** What has no value is last in either order: it is not small, it is not there. */
function compared(one: number | null, two: number | null, sign: number): number {
  if (one === null || two === null) return Number(one === null) - Number(two === null);
  return sign * (one - two);
}

const VALUES: Record<SortKey, (row: Row) => number | null> = {
  change: ({ effect }) => (effect?.ratio.value == null ? null : effect.ratio.value - 1),
  p: ({ effect }) => effect && numberOf(effect.ratio, "p"),
  verdict: ({ effect }) =>
    effect === null ? null : (VERDICTS as readonly (string | null)[]).indexOf(effect.ratio.verdict),
};
