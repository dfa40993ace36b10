import type { Schemas } from "~/api/types";
import { type ChartView, readChartView } from "~/charts/view";
import { type ListSearch, readId, readKind, readListSearch } from "~/list_tools/list_search";
import { readReferenceId } from "~/published/reference_id";
import { defined, matching, oneOf, positive, text } from "~/ui/search_values";

export const STATES = [
  "queued",
  "preflight",
  "running",
  "waiting",
  "cleaning",
  "finished",
] as const;
export const TABS = ["results", "cases", "log", "environment", "specification"] as const;
export const LEVELS = ["info", "warning"] as const satisfies readonly Schemas["LogLevel"][];

export type Tab = (typeof TABS)[number];

export const OUTCOMES = [
  "succeeded",
  "partial",
  "failed",
  "cancelled",
  "interrupted",
] as const satisfies readonly Schemas["Outcome"][];

/** `/runs`: in addition to what every list has, of what the runs are; of those chosen the baseline first. */
export interface RunsSearch extends ListSearch {
  state?: Schemas["RunState"];
  outcome?: Schemas["Outcome"];
  kind?: Schemas["KindName"];
  cluster?: string;
  /** As `branch=main`. */
  label?: string;
}

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
  /** The run to show changes since; by default the previous run. */
  since?: string;
}

/** What is open unless one chooses: the results of what has some, else how the cases stand. */
export function firstTab({ state, outcome }: { state: string; outcome: string | null }): Tab {
  const measured = outcome === "succeeded" || outcome === "partial";
  return state === "finished" && measured ? "results" : "cases";
}

/** No trial is opened, and so none of its series zoomed. */
export const NO_TRIAL = { trial: undefined, zoom: undefined };

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return defined({
    ...readListSearch(search),
    state: oneOf(STATES, search.state),
    outcome: oneOf(OUTCOMES, search.outcome),
    kind: readKind(search.kind),
    cluster: readId(search.cluster),
    label: readLabel(search.label),
  });
}

const LABEL = /^[a-z][a-z0-9._/-]{0,62}=\S(.{0,198}\S)?$/;

/** A label as the API takes it; undefined for what is none, or not one yet. */
export function readLabel(value: unknown): string | undefined {
  return matching(LABEL, typeof value === "string" ? value.trim() : undefined);
}

export function readRunSearch(search: Record<string, unknown>): RunSearch {
  return defined({
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
    since: readId(search.since),
  });
}

function range(value: unknown): [number, number] | undefined {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isFinite))
    return undefined;
  const [from, to] = value as [number, number];
  return from < to ? [from, to] : undefined;
}
