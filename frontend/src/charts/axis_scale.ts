import type { ScaleName } from "./types";

/** What an axis shows, in the numbers it is drawn with. */
export interface AxisScale {
  name: ScaleName;
  domain: [number, number];
  ticks: number[];
}

/** A logarithmic axis has no place for zero and below. */
export function allowsLog(values: Iterable<number>): boolean {
  let any = false;
  for (const value of values) {
    if (value <= 0) return false;
    any = true;
  }
  return any;
}

/**
 * An axis that holds all `values`. A linear one begins at zero if `fromZero`, so that lengths
 * and heights can be compared; where a logarithm is impossible the axis is linear.
 */
export function axisScale(
  values: readonly number[],
  wanted: ScaleName,
  { fromZero = true, count = 5 } = {},
): AxisScale {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (low > high) return { name: "linear", domain: [0, 1], ticks: [0, 1] };
  if (wanted === "log" && low > 0) return logScale(low, high);
  return linearScale(fromZero ? Math.min(0, low) : low, fromZero ? Math.max(0, high) : high, count);
}

/** The shorter side of zero gets at least this share of the longer one. */
const OTHER_SIDE = 0.2;

/** The ends of an axis of changes: zero lies inside it, never at its edge, also where all are 0. */
export function endsAroundZero(values: readonly number[]): [low: number, high: number] {
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  if (low === high) return [-1, 1];
  return [Math.min(low, -OTHER_SIDE * high), Math.max(high, -OTHER_SIDE * low)];
}

function linearScale(low: number, high: number, count: number): AxisScale {
  // One value alone: ticks beside it would be fractions, which are written as whole numbers.
  if (low === high && low !== 0) {
    return { name: "linear", domain: [low - 0.5, low + 0.5], ticks: [low] };
  }
  const [start, end] = low < high ? [low, high] : [0, 1];
  const step = niceStep((end - start) / count);
  const first = Math.floor(start / step + 1e-9);
  const last = Math.ceil(end / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    tidy((first + index) * step),
  );
  return { name: "linear", domain: [ticks[0] ?? start, ticks.at(-1) ?? end], ticks };
}

function logScale(low: number, high: number): AxisScale {
  // A little air, and never a single point.
  const [start, end] = low === high ? [low / 2, high * 2] : [low / 1.1, high * 1.1];
  const decades = Math.log10(end / start);
  const steps = decades > 3 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(start)); power <= Math.ceil(Math.log10(end)); power += 1) {
    for (const step of steps) {
      const tick = tidy(step * 10 ** power);
      if (tick >= start && tick <= end) ticks.push(tick);
    }
  }
  return { name: "log", domain: [start, end], ticks };
}

/** 1, 2, 2.5 or 5 times a power of ten, at least `rough`. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10;
  return step * power;
}

const tidy = (value: number) => Number(value.toPrecision(12));
