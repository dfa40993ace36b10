import type { TFunction } from "i18next";
import type { Bar, BarGroup, ChartTable, Quantity } from "./types";

/** What parts the two names of a pair's value. */
const SIGN = "~";

/** What is known of one ordered pair; `bar` is null for one that was not to be measured. */
export interface PairCell {
  from: string;
  to: string;
  bar: Bar | null;
}

/** All that pairs are of, and the cells between them: a row for each that one begins at. */
export interface PairGrid {
  names: string[];
  rows: { from: string; cells: PairCell[] }[];
}

const byName = new Intl.Collator("en", { numeric: true }).compare;

/** The grid of groups that are a pair each, known by their keys, `axis=from~to`. */
export function pairGrid(groups: readonly BarGroup[]): PairGrid {
  const known = new Map<string, Bar>();
  const names = new Set<string>();
  for (const { key, bars } of groups) {
    const value = key.slice(key.indexOf("=") + 1);
    const [from, to, ...more] = value.split(SIGN);
    if (from === undefined || to === undefined || more.length > 0 || bars[0] === undefined)
      continue;
    known.set(value, bars[0]);
    names.add(from).add(to);
  }
  const ordered = [...names].sort(byName);
  const rows = ordered.map((from) => ({
    from,
    cells: ordered.map((to) => ({ from, to, bar: known.get(`${from}${SIGN}${to}`) ?? null })),
  }));
  return { names: ordered, rows };
}

/**
 * How much worse than the best of all a value is, from 0 to 1: a share of the best one, or the
 * value itself where it is a share that must be small. Nothing where no direction is better.
 */
export function shortfall(value: number, best: number, { unit, lower }: Quantity): number {
  if (lower === undefined) return 0;
  const found =
    unit === "ratio" && lower
      ? value
      : value <= 0 || best <= 0
        ? 0
        : 1 - Math.min(value / best, best / value);
  return Math.min(1, Math.max(0, found));
}

/** The best of the values of a grid; 0 where there is none. */
export function bestOf({ rows }: PairGrid, lower: boolean | undefined): number {
  const values = rows.flatMap(({ cells }) => cells.flatMap(({ bar }) => bar?.figure?.value ?? []));
  if (values.length === 0) return 0;
  return lower ? Math.min(...values) : Math.max(...values);
}

/** The table twin: a row for each pair that was to be measured, those without a value included. */
export function pairTable({ rows }: PairGrid, y: Quantity, t: TFunction<"charts">): ChartTable {
  const cells = rows.flatMap((row) => row.cells);
  return {
    columns: [
      { label: t("pairs.from") },
      { label: t("pairs.to") },
      { label: y.label, unit: y.unit },
      { label: t("column.low"), unit: y.unit },
      { label: t("column.high"), unit: y.unit },
      { label: t("column.n") },
      { label: t("column.state") },
      { label: t("column.note") },
    ],
    rows: cells.flatMap(({ from, to, bar }) =>
      bar === null
        ? []
        : [
            [
              from,
              to,
              bar.figure?.value ?? null,
              bar.figure?.low ?? null,
              bar.figure?.high ?? null,
              bar.n,
              t(`state.${bar.state}`),
              bar.note ?? "",
            ],
          ],
    ),
  };
}
