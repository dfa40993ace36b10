import type { Bar, BarGroup } from "./types";

/** The series of grouped bars, in the order in which they are first met. */
export interface BarSeries {
  key: string;
  label: string;
}

export type BarRow = { key: string } & Record<string, string | number>;

export interface BarRows {
  series: BarSeries[];
  /** A row for each group: `value-0`, … by the series' place. */
  rows: BarRow[];
  /** Values and bounds, in the scale that is drawn. */
  bounds: number[];
  at: ReadonlyMap<string, { group: BarGroup; bars: (Bar | undefined)[] }>;
}

/** What the bars of a group are together; null unless all of them were measured. */
export function wholeOf({ bars }: BarGroup): number | null {
  const values = bars.map(({ figure, state }) => (state === "measured" ? figure?.value : null));
  const known = values.filter((value) => value != null);
  return known.length === 0 || known.length < values.length
    ? null
    : known.reduce((sum, value) => sum + value, 0);
}

/**
 * Groups as rows of a chart. A bar without a value is in no row: it has no length, not even 0.
 * Where bars are parts of a whole their bounds are the whole's, and a part of one that is not
 * whole has no length either.
 */
export function barRows(groups: readonly BarGroup[], factor: number, stacked = false): BarRows {
  const series = new Map<string, BarSeries>();
  for (const { bars } of groups) {
    for (const { key, label } of bars) if (!series.has(key)) series.set(key, { key, label });
  }
  const places = [...series.keys()];
  const bounds: number[] = [];
  const at = new Map<string, { group: BarGroup; bars: (Bar | undefined)[] }>();
  const rows = groups.map((group) => {
    const row: BarRow = { key: group.key };
    const bars = places.map((key) => group.bars.find((bar) => bar.key === key));
    at.set(group.key, { group, bars });
    const whole = wholeOf(group);
    if (stacked) bounds.push((whole ?? 0) / factor);
    bars.forEach((bar, place) => {
      if (bar?.figure == null || bar.state !== "measured") return;
      const { value, low, high } = bar.figure;
      if (stacked && whole === null) return;
      row[`value-${place}`] = value / factor;
      if (stacked) return;
      bounds.push(value / factor, ...(bar.trials ?? []).map((trial) => trial / factor));
      if (low != null && high != null) bounds.push(low / factor, high / factor);
    });
    return row;
  });
  return { series: [...series.values()], rows, bounds, at };
}
