import type { Hued } from "./palette";
import type { Bar, BarGroup } from "./types";

export interface BarSeries extends Hued {
  key: string;
  label: string;
}

export type BarRow = { key: string } & Record<string, string | number>;

export interface BarRows {
  series: BarSeries[];
  /** A row for each group: `value-0`, … by the series' place. */
  rows: BarRow[];
  /**
   * Values and the ends of intervals, in the scale that is drawn. An interval without bound would
   * make a point of all else: it counts as far as `FAR` says, and leaves the picture there.
   */
  bounds: number[];
  at: ReadonlyMap<string, { group: BarGroup; bars: (Bar | undefined)[] }>;
}

/** The series of grouped bars, in the order in which they are first met. */
export function seriesOf(groups: readonly BarGroup[]): BarSeries[] {
  const series = new Map<string, BarSeries>();
  for (const { bars } of groups) {
    for (const { key, label, hue, shade } of bars) {
      if (!series.has(key)) series.set(key, { key, label, hue, shade });
    }
  }
  return [...series.values()];
}

/** So many times the largest value or trial. */
const FAR = 4;

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
 * Where bars are parts of a whole their bounds are the whole's, and a part of a whole that is not
 * whole has no length either.
 */
export function barRows(groups: readonly BarGroup[], factor: number, stacked = false): BarRows {
  const series = seriesOf(groups);
  const places = series.map(({ key }) => key);
  const bounds: number[] = [];
  const at = new Map<string, { group: BarGroup; bars: (Bar | undefined)[] }>();
  const measured = groups.flatMap(({ bars }) => bars.filter(({ state }) => state === "measured"));
  const known = measured.flatMap(({ figure, trials }) => [figure?.value ?? 0, ...(trials ?? [])]);
  const far = known.reduce((most, one) => Math.max(most, Math.abs(one)), 0) * FAR;
  const near = (end: number) => (far === 0 ? end : Math.max(-far, Math.min(far, end)));
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
      if (low != null && high != null) bounds.push(near(low) / factor, near(high) / factor);
    });
    return row;
  });
  return { series, rows, bounds, at };
}
