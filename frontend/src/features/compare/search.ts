import type { AxisValue, Point } from "~/api/types";
import { type ComparisonViewState, readComparisonView } from "~/comparison_view/view";
import { type ListSearch, readKind, readUnmarkedSearch } from "~/list_tools/list_search";
import { readReferenceId } from "~/published/reference_id";
import { defined, oneOf } from "~/ui/search_values";

/** A side of a comparison: a run, the part of it that lies on `where`, or one case of it. */
export interface SideChoice {
  run: string;
  where?: Point;
  case?: number;
}

/** A baseline that was published: a reference, or the part of it that lies on `where`. */
export interface PublishedChoice {
  id: string;
  where?: Point;
}

/** `/compare`: the compared sides. Missing settings have the API's defaults. */
export interface CompareSearch {
  baseline?: SideChoice;
  /** Instead of a baseline. */
  reference?: PublishedChoice;
  contenders?: SideChoice[];
  metrics?: "main" | "all";
  noise?: number;
  alpha?: number;
}

/** As many as the API takes. */
export const MOST_CONTENDERS = 20;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  const contenders = Array.isArray(search.contenders)
    ? search.contenders.map(readSide).filter((side) => side !== undefined)
    : [];
  const number = (value: unknown) =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
  return defined({
    baseline: readSide(search.baseline),
    reference: readReference(search.reference),
    contenders: contenders.length > 0 ? contenders.slice(0, MOST_CONTENDERS) : undefined,
    metrics: oneOf(["all", "main"], search.metrics),
    noise: number(search.noise),
    alpha: number(search.alpha),
  });
}

function readSide(value: unknown): SideChoice | undefined {
  if (typeof value !== "object" || value === null || !("run" in value)) return undefined;
  const { run } = value;
  if (typeof run !== "string" || !UUID.test(run)) return undefined;
  const side: SideChoice = { run };
  const where = readWhere(value);
  if (where !== undefined) side.where = where;
  if ("case" in value && Number.isSafeInteger(value.case)) side.case = value.case as number;
  return side;
}

function readReference(value: unknown): PublishedChoice | undefined {
  if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
  const id = readReferenceId(value.id);
  if (id === undefined) return undefined;
  const where = readWhere(value);
  return where === undefined ? { id } : { id, where };
}

function readWhere(value: object): Point | undefined {
  if (!("where" in value) || typeof value.where !== "object" || value.where === null) return;
  const axes = Object.entries(value.where).filter(([, one]) => isAxisValue(one));
  return axes.length > 0 ? (Object.fromEntries(axes) as Point) : undefined;
}

function isAxisValue(value: unknown): value is AxisValue {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** `/comparisons`: in addition to what every list has, of which kind they are. */
export interface ComparisonsSearch extends ListSearch {
  kind?: string;
}

export function readComparisonsSearch(search: Record<string, unknown>): ComparisonsSearch {
  return defined({ ...readUnmarkedSearch(search), kind: readKind(search.kind) });
}

/** `/compare/$comparisonId`: how it is checked, and what published figures are drawn beside it. */
export interface ComparisonSearch extends ComparisonViewState {
  published?: string;
}

export function readComparisonSearch(search: Record<string, unknown>): ComparisonSearch {
  return defined({ ...readComparisonView(search), published: readReferenceId(search.published) });
}
