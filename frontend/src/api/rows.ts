import type { Figure, Point, Schemas } from "./types";

/** A row of any analysis: what it is of, a figure with its interval, and what is said of it. */
export type Row = Schemas["Projected"];

/** A warning about a row's figure, with the numbers behind it where they are known. */
export interface Warning {
  code: string;
  needed?: number | null;
  found?: number | null;
}

/** A row's figure; null where it has none. */
export function figureOf(row: Row): Figure | null {
  const { value, low, high } = row;
  return value === null ? null : { value, low, high, confidence: numberOf(row, "confidence") };
}

/** A parameter that is a number; null where the row has none. */
export function numberOf({ parameters }: Row, name: string): number | null {
  const found = parameters?.[name];
  return typeof found === "number" ? found : null;
}

/** A parameter that is text; "" where the row has none. */
export function textOf({ parameters }: Row, name: string): string {
  const found = parameters?.[name];
  return typeof found === "string" ? found : "";
}

/** Caveats of the row's figure. */
export function warningsOf({ parameters }: Row): Warning[] {
  const found = parameters?.warnings;
  return Array.isArray(found) ? (found as Warning[]) : [];
}

/** Whether the row has a parameter that is true. */
export function holds({ parameters }: Row, name: string): boolean {
  return parameters?.[name] === true;
}

/** A parameter that is several numbers; none where the row has none. */
export function numbersOf({ parameters }: Row, name: string): number[] {
  const found = parameters?.[name];
  return Array.isArray(found) ? found.filter((one) => typeof one === "number") : [];
}

/** A parameter that is several texts; none where the row has none. */
function textsOf({ parameters }: Row, name: string): string[] {
  const found = parameters?.[name];
  return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
}

/** A parameter that is groups of numbers, of rounds say; none where the row has none. */
export function groupsOf({ parameters }: Row, name: string): number[][] {
  const found = parameters?.[name];
  return Array.isArray(found) ? (found as number[][]) : [];
}

/** The limit that says nothing. */
export const UNKNOWN_LIMIT = "unknown";

/** What limited most trials of each side of an effect, the baseline first; null if unknown. */
export function limitsOf({ parameters }: Row): [string, string] | null {
  const found = parameters?.limited_by;
  if (!Array.isArray(found) || found.length !== 2) return null;
  const [baseline, contender] = found.map((code) => String(code ?? UNKNOWN_LIMIT));
  return [baseline ?? UNKNOWN_LIMIT, contender ?? UNKNOWN_LIMIT];
}

/**
 * In how many of how many trials of each side the client was at its limit, the baseline first; none
 * if it was not, or an older version did not count. At its limit in half of a side's trials it hides
 * what that side could do.
 */
export function clientTrialsOf(row: Row): { limited: number; all: number; atLimit: boolean }[] {
  return groupsOf(row, "client_limited_trials").map(([limited = 0, all = 0]) => ({
    limited,
    all,
    atLimit: limited > 0 && 2 * limited >= all,
  }));
}

/** A metric of a case: its median, with its trials and how they are spread, and its mean. */
export interface Summary {
  median: Row;
  mean: Row;
}

/** The summaries that rows are of; the mean of each stands behind its median. */
export function summariesOf(rows: readonly Row[]): Summary[] {
  return rows.flatMap((median, place) => {
    const mean = rows[place + 1];
    return median.code === "median" && mean !== undefined ? [{ median, mean }] : [];
  });
}

/** One side of an effect; `values` are its counted trials by round. */
export interface Arm {
  median: Row;
  /** What ratio and difference are of; null in effects of before there were centres. */
  centre: Row | null;
  values: number[][];
}

/** A metric of a case against the same of another: its rows, `ratio` with the verdict. */
export interface Effect {
  ratio: Row;
  difference: Row;
  baseline: Arm;
  contender: Arm;
}

/** What a new run of the same would need to decide an effect; null is what stays as it was. */
export interface Advice extends Pick<Schemas["NextRun"], "rounds" | "seconds" | "trials"> {
  code: string;
  same: boolean;
}

/** What would decide the effect; null where nothing has to be decided. */
export function adviceOf({ ratio }: Effect): Advice | null {
  return (ratio.parameters?.advice ?? null) as Advice | null;
}

/** The pair of nodes of each round of an effect's or a summary's values; none of one pair alone. */
export function roundPairsOf(row: Row): string[] {
  return textsOf(row, "round_node_pairs");
}

/** The only pair of nodes that an effect was measured on; "" of several, or where it is not known. */
export function nodePairOf(row: Row): string {
  return textOf(row, "node_pair");
}

/** The axis on which a row's points differ, with the two values; null where that was not kept. */
export function modesOf({
  key,
}: Row): { axis: string; baseline: string; contender: string } | null {
  const axis = Object.keys(key.point).find((one) => key.point[one] !== key.against?.[one]);
  if (axis === undefined) return null;
  return { axis, baseline: String(key.against?.[axis]), contender: String(key.point[axis]) };
}

const EFFECTS = new WeakMap<readonly Row[], Effect[]>();

/** The effects that rows are of; the rows of each stand together, its ratio first. */
export function effectsOf(rows: readonly Row[]): Effect[] {
  const known = EFFECTS.get(rows);
  if (known !== undefined) return known;
  const starts = rows.flatMap(({ code }, place) => (code === "ratio" ? [place] : []));
  const found = starts.flatMap((start, place) => {
    const own = rows.slice(start, starts[place + 1]);
    const [ratio, difference] = own;
    const [baseline, contender] = [armOf(own, "baseline"), armOf(own, "contender")];
    if (!(ratio && difference && baseline && contender)) return [];
    return [{ ratio, difference, baseline, contender }];
  });
  EFFECTS.set(rows, found);
  return found;
}

function armOf(rows: readonly Row[], side: string): Arm | undefined {
  const of = (code: string) =>
    rows.find((one) => one.code === code && textOf(one, "side") === side);
  const median = of("median");
  return median && { median, centre: of("centre") ?? null, values: groupsOf(median, "values") };
}

/** Two curves over a ladder: what each does, and how the contender's differs. */
export interface CurvePair {
  baseline: Row;
  contender: Row;
  difference: Row;
  crossing: Row | null;
  /** Where both lie, besides the ladder's axis. */
  shared: Point;
}

/** The pairs of curves that rows are of; the rows of each pair stand together. */
export function curvePairs(rows: readonly Row[]): CurvePair[] {
  const ends = rows.flatMap(({ code }, place) => (code === "curve_difference" ? [place] : []));
  return ends.flatMap((end, place) => {
    const before = rows.slice((ends[place - 1] ?? -1) + 1, end);
    const of = (side: string) =>
      before.findLast((one) => one.code === "change" && textOf(one, "side") === side);
    const [difference, next] = rows.slice(end, end + 2);
    const [baseline, contender] = [of("baseline"), of("contender")];
    if (difference === undefined || baseline === undefined || contender === undefined) return [];
    const { point, against } = difference.key;
    const shared = Object.fromEntries(
      Object.entries(point).filter(([axis, at]) => against?.[axis] === at),
    );
    const crossing = next?.code === "crossing" ? next : null;
    return [{ baseline, contender, difference, crossing, shared }];
  });
}
