import type { Figure, Unit } from "~/api/types";
import { bracketed, clauses } from "~/i18n/punctuation";
import type { Hued } from "./palette";

/**
 * What charts draw. They know summaries and axes, never kinds: a new kind needs no new chart.
 * All values are in base units; scales are chosen when they are drawn.
 */

/**
 * Only `measured` has a value; the others are drawn as what they are, never as zero. `unpaired` was
 * measured, and there is nothing to compare it with.
 */
export type PointState = "measured" | "missing" | "failed" | "skipped" | "unpaired";

export interface CurvePoint {
  x: number;
  /** The centre with its interval; null unless `state` is `measured`. */
  figure: Figure | null;
  /** Counted trials. */
  n: number;
  /** Their values; drawn as dots where given. */
  trials?: readonly number[];
  state: PointState;
  /** Why there is no value, or what to keep in mind about it. */
  note?: string;
}

export interface Curve extends Hued {
  key: string;
  label: string;
  points: CurvePoint[];
}

export interface Bar extends Hued {
  key: string;
  label: string;
  figure: Figure | null;
  /** Of a change: the same in the metric's own unit. */
  difference?: Figure | null;
  /** Of a change: whether it is one, or none, for sure. */
  clear?: boolean;
  n: number;
  trials?: readonly number[];
  state: PointState;
  note?: string;
}

/** Bars side by side under one label, one of each series. */
export interface BarGroup {
  key: string;
  label: string;
  bars: Bar[];
}

/** `values[i]` at `offsets[i]` seconds; up to 100,000 of them and more. */
export interface TimeSeries {
  key: string;
  label: string;
  unit: Unit;
  offsets: number[];
  values: number[];
}

/** What values mean, and which direction of them is better, in words. */
export interface Quantity {
  label: string;
  unit: Unit;
  better?: string;
  /** Whether lower values are the better ones; undefined where neither are. */
  lower?: boolean;
  /** The metric's name in the API, where published figures may be drawn beside it. */
  metric?: string;
  /** Values of other charts, in the base unit, that this axis holds too: so one scale is shared. */
  reach?: readonly number[];
}

/** "Throughput (Gbit/s), higher is better" */
export function axisLabel({ label, better }: Quantity, symbol: string): string {
  return clauses(symbol === "" ? label : bracketed(label, symbol), better);
}

export type ScaleName = "linear" | "log";

/** The data-table twin of a chart; CSV and Markdown are written from it. Numbers in base units. */
export interface ChartTable {
  columns: { label: string; unit?: Unit }[];
  rows: (string | number | null)[][];
  /**
   * The columns of a figure, of the ends of its interval, which say how many digits it is known to,
   * and of its placeholder if there is none.
   */
  figure?: { value: number; low: number; high: number; state: number };
}
