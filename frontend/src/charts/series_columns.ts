import { envelope } from "./envelope";
import type { TimeSeries } from "./types";

type Reach = readonly [low: number, high: number];

/** Series over common columns of time. */
export interface SeriesColumns {
  /** Seconds of a column. */
  step: number;
  /** What each series reaches in the columns where it has points, ascending. */
  reach: ReadonlyMap<number, Reach>[];
  /** Whether a series has points in nearly every column. */
  dense: boolean[];
  low: number;
  high: number;
  /** The columns where any series has points, ascending. */
  filled: number[];
  /** The next such column on either side; the same at the ends. */
  next: (column: number | null, by: number) => number | null;
}

export function seriesColumns(
  series: readonly TimeSeries[],
  range: readonly [number, number],
  columns: number,
): SeriesColumns {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const reach = series.map(({ offsets, values }) => {
    const found = envelope(offsets, values, columns, range);
    return new Map(
      found.columns.map((column, index) => {
        const least = found.low[index] as number;
        const most = found.high[index] as number;
        low = Math.min(low, least);
        high = Math.max(high, most);
        return [column, [least, most] as Reach];
      }),
    );
  });
  const filled = [...new Set(reach.flatMap((one) => [...one.keys()]))].toSorted((a, b) => a - b);
  return {
    step: (range[1] - range[0]) / columns,
    reach,
    dense: reach.map((one) => one.size > columns / 2),
    low,
    high,
    filled,
    next: (column, by) => {
      if (column === null) return filled[0] ?? null;
      const place = filled.indexOf(column);
      return filled[Math.min(filled.length - 1, Math.max(0, place + by))] ?? null;
    },
  };
}

/** The filled column nearest to `wanted`; null where nothing is. */
export function columnAt({ filled }: SeriesColumns, wanted: number): number | null {
  let best: number | null = null;
  for (const column of filled) {
    if (best === null || Math.abs(column - wanted) < Math.abs(best - wanted)) best = column;
  }
  return best;
}

/** One path through every column, down and up as far as its values reach. */
export function reachPath(
  reach: ReadonlyMap<number, Reach>,
  toX: (column: number) => number,
  toY: (value: number) => number,
): string {
  const points: string[] = [];
  let down = true;
  for (const [column, [low, high]] of reach) {
    const x = toX(column);
    // In turns from above and from below, so that the line leaves a column where it enters the next.
    const ends = low === high ? [low] : down ? [high, low] : [low, high];
    for (const value of ends) points.push(`${x} ${toY(value).toFixed(1)}`);
    if (low !== high) down = !down;
  }
  // A lone point would be a path without length.
  return points.length === 1
    ? `M${points[0]}h0.01`
    : points.length === 0
      ? ""
      : `M${points.join("L")}`;
}
