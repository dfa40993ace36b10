import { defined, matching, oneOf } from "~/ui/search_values";
import type { ScaleName } from "./types";

/** How a report or a comparison is checked: the part of a page's address that its charts own. */
export interface ChartView {
  metric?: string;
  /** The axis along x, the axes of the series, and the axis that splits into several charts. */
  x?: string;
  series?: string[];
  facet?: string;
  xScale?: ScaleName;
  yScale?: ScaleName;
  /** Names of the charts that are shown as tables. */
  tables?: string[];
  /** By chart's name: the keys of the series that are drawn alone. */
  alone?: Record<string, string[]>;
  /** By chart's name: the stretch of x that it is zoomed to. */
  ranges?: Record<string, Range>;
}

export type Range = readonly [from: number, to: number];

/** The keys of a view, for an address that has others too. */
export const NO_VIEW: Record<keyof ChartView, undefined> = {
  metric: undefined,
  x: undefined,
  series: undefined,
  facet: undefined,
  xScale: undefined,
  yScale: undefined,
  tables: undefined,
  alone: undefined,
  ranges: undefined,
};

const AXIS = /^[a-z][a-z0-9_]{0,63}$/;
const SCALES = ["log", "linear"] as const satisfies readonly ScaleName[];

/** Reads what is well formed; what names nothing in the data is ignored when it is drawn. */
export function readChartView(search: Record<string, unknown>): ChartView {
  const name = (value: unknown) => matching(AXIS, value);
  const series = Array.isArray(search.series) ? search.series.map(name) : [];
  const tables = Array.isArray(search.tables) ? search.tables.filter(isChartName) : [];
  return defined({
    metric: name(search.metric),
    x: name(search.x),
    series: series.length > 0 ? series.filter((one) => one !== undefined) : undefined,
    facet: name(search.facet),
    xScale: oneOf(SCALES, search.xScale),
    yScale: oneOf(SCALES, search.yScale),
    tables: tables.length > 0 ? tables : undefined,
    alone: entriesOf(search.alone, readKeys),
    ranges: entriesOf(search.ranges, readRange),
  });
}

/** What is well formed of an object by charts' names; undefined where nothing is. */
function entriesOf<Value>(
  given: unknown,
  read: (value: unknown) => Value | undefined,
): Record<string, Value> | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const found: [string, Value][] = [];
  for (const [name, value] of Object.entries(given).slice(0, MOST_CHARTS)) {
    const known = read(value);
    if (isChartName(name) && known !== undefined) found.push([name, known]);
  }
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

const MOST_CHARTS = 50;

function readKeys(value: unknown): string[] | undefined {
  const keys = Array.isArray(value) ? value.filter(isChartName) : [];
  return keys.length > 0 ? keys : undefined;
}

function readRange(value: unknown): Range | undefined {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isFinite))
    return undefined;
  const [from, to] = value as [number, number];
  return from <= to ? [from, to] : undefined;
}

function isChartName(value: unknown): value is string {
  return typeof value === "string" && value.length <= 200;
}
