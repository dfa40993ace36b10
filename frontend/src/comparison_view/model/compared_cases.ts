import { type Effect, effectsOf } from "~/api/rows";
import type { Comparison, Point, Schemas } from "~/api/types";
import { casesWithout } from "~/charts/layout/entry";
import { keyOf } from "./metrics";

type Pair = Schemas["Pair"];
type CaseRef = Schemas["CaseRef"];

/** What a contender has at a spot: a pair, or nothing that could be paired. */
export type Cell = { pair: Pair } | { alone: CaseRef };

/**
 * A case of the baseline with what every contender has against it. `point` is where it lies on
 * the axes that no contender is compared on; those have one value on each side.
 */
export interface ComparedCase {
  caseId: number;
  point: Point;
  /** By the contender's place; undefined where its pairing does not know the case. */
  cells: (Cell | undefined)[];
}

export function comparedAxes(comparison: Comparison): string[] {
  return [...new Set(comparison.contenders.flatMap((one) => one.compared_axes))];
}

/** Every case of the baseline, in its order. */
export function comparedCasesOf(comparison: Comparison): ComparedCase[] {
  const compared = new Set(comparedAxes(comparison));
  const spots = new Map<number, ComparedCase>();
  const put = (ref: CaseRef, place: number, cell: Cell) => {
    const spot = spots.get(ref.case_id) ?? {
      caseId: ref.case_id,
      point: pointWithout(ref.point, compared),
      cells: comparison.contenders.map(() => undefined),
    };
    spot.cells[place] = cell;
    spots.set(ref.case_id, spot);
  };
  comparison.contenders.forEach((contender, place) => {
    for (const pair of contender.pairs) put(pair.baseline, place, { pair });
    for (const alone of contender.unpaired_baseline) put(alone, place, { alone });
  });
  return [...spots.values()];
}

export function effectAt(cell: Cell | undefined, key: string): Effect | undefined {
  if (cell === undefined || !("pair" in cell)) return undefined;
  return effectsOf(cell.pair.effects).find((one) => keyOf(one) === key);
}

/**
 * The spots that a metric's chart shows: those that have it, and those that measured nothing at
 * all but should have it.
 */
export function comparedCasesWith(spots: readonly ComparedCase[], key: string): ComparedCase[] {
  const candidates = spots.map((spot) => ({
    spot,
    point: spot.point,
    has: spot.cells.some((cell) => effectAt(cell, key)),
    counted: spot.cells.some(hasEffects),
  }));
  const without = new Set(casesWithout(candidates));
  return candidates.filter((one) => one.has || without.has(one)).map(({ spot }) => spot);
}

function hasEffects(cell: Cell | undefined): boolean {
  return cell !== undefined && "pair" in cell && cell.pair.effects.length > 0;
}

function pointWithout(point: Point, axes: ReadonlySet<string>): Point {
  return Object.fromEntries(Object.entries(point).filter(([axis]) => !axes.has(axis)));
}
