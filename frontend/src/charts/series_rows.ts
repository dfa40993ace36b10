import type { Unit } from "~/api/types";
import { envelope } from "./envelope";
import type { ChartTable, TimeSeries } from "./types";

export type SeriesRow = { offset: number } & Record<string, number | [number, number]>;

/** Series of one unit share a chart; others get one of their own below it. */
export function byUnit<One extends TimeSeries>(series: readonly One[]): [Unit, One[]][] {
  const found = new Map<Unit, One[]>();
  for (const one of series) found.set(one.unit, [...(found.get(one.unit) ?? []), one]);
  return [...found];
}

/** The seconds that any of the series covers. */
export function extentOf(series: readonly TimeSeries[]): [number, number] {
  const starts = series.flatMap(({ offsets }) => offsets.slice(0, 1));
  const ends = series.flatMap(({ offsets }) => offsets.slice(-1));
  return starts.length === 0 ? [0, 1] : [Math.min(...starts), Math.max(...ends)];
}

/** Envelopes over common columns: row by row the reach of each series, `reach-0`, …. */
export function seriesRows(
  series: readonly TimeSeries[],
  range: readonly [number, number],
  columns: number,
  factor: number,
): SeriesRow[] {
  const width = (range[1] - range[0]) / columns;
  const rows = new Map<number, SeriesRow>();
  series.forEach(({ offsets, values }, place) => {
    const found = envelope(offsets, values, columns, range);
    found.columns.forEach((column, index) => {
      const row = rows.get(column) ?? { offset: range[0] + (column + 0.5) * width };
      row[`reach-${place}`] = [
        (found.low[index] as number) / factor,
        (found.high[index] as number) / factor,
      ];
      rows.set(column, row);
    });
  });
  return [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row);
}

/** The table twin: every point of every series, by time. */
export function seriesTable(series: readonly TimeSeries[], secondLabel: string): ChartTable {
  const rows = new Map<number, (number | null)[]>();
  series.forEach(({ offsets, values }, place) => {
    offsets.forEach((offset, index) => {
      const row = rows.get(offset) ?? [offset, ...series.map(() => null)];
      row[place + 1] = values[index] ?? null;
      rows.set(offset, row);
    });
  });
  return {
    columns: [
      { label: secondLabel, unit: "s" },
      ...series.map(({ label, unit }) => ({ label, unit })),
    ],
    rows: [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row),
  };
}
