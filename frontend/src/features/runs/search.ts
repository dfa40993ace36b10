import type { Schemas } from "~/api/types";
import { type ChartView, readChartView } from "~/charts/view";
import { readReferenceId } from "~/published/reference_id";

export const STATES = ["queued", "preflight", "running", "cleaning", "finished"] as const;
export const TABS = ["cases", "results", "log", "environment", "specification"] as const;
export const LEVELS = ["info", "warning"] as const satisfies readonly Schemas["LogLevel"][];

export type Tab = (typeof TABS)[number];

/** `/runs`: what the list is narrowed to, and the runs chosen for a comparison, baseline first. */
export interface RunsSearch {
  state?: Schemas["RunState"];
  kind?: Schemas["KindName"];
  cluster?: string;
  chosen?: string[];
}

export type Filters = Omit<RunsSearch, "chosen">;

/** `/runs/$runId`: the tab, the opened case or trial, the log's filters, how results are drawn. */
export interface RunSearch extends ChartView {
  tab?: Tab;
  case?: number;
  trial?: number;
  /** Of the trial's series: from and to, in seconds. */
  zoom?: [number, number];
  level?: Schemas["LogLevel"];
  attempt?: number;
  q?: string;
  /** Whether the log keeps its end in sight; it does unless this is false. */
  follow?: false;
  /** The reference whose figures are drawn beside the results. */
  published?: string;
}

/** No trial is opened, and so none of its series zoomed. */
export const NO_TRIAL = { trial: undefined, zoom: undefined };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  const chosen = Array.isArray(search.chosen) ? search.chosen.map(uuid).filter(isDefined) : [];
  return known({
    state: oneOf(STATES, search.state),
    kind: kindName(search.kind),
    cluster: uuid(search.cluster),
    chosen: chosen.length > 0 ? [...new Set(chosen)] : undefined,
  });
}

export function readRunSearch(search: Record<string, unknown>): RunSearch {
  return known({
    ...readChartView(search),
    tab: oneOf(TABS, search.tab),
    case: positive(search.case),
    trial: positive(search.trial),
    zoom: range(search.zoom),
    level: oneOf(LEVELS, search.level),
    attempt: positive(search.attempt),
    q: text(search.q),
    follow: search.follow === false ? (false as const) : undefined,
    published: readReferenceId(search.published),
  });
}

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}

/** Which kinds there are is known to the server. */
function kindName(value: unknown): Schemas["KindName"] | undefined {
  const named = typeof value === "string" && /^[a-z_]{1,64}$/.test(value);
  return named ? (value as Schemas["KindName"]) : undefined;
}

function uuid(value: unknown): string | undefined {
  return typeof value === "string" && UUID.test(value) ? value : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function range(value: unknown): [number, number] | undefined {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isFinite))
    return undefined;
  const [from, to] = value as [number, number];
  return from < to ? [from, to] : undefined;
}

/** The router reads `q=42` as a number. */
function text(value: unknown): string | undefined {
  const read = typeof value === "number" ? String(value) : value;
  return typeof read === "string" && read !== "" ? read : undefined;
}

function isDefined<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

/** Without what is undefined, so that the address has only what was said. */
function known<Search extends object>(search: Search): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  ) as Search;
}
