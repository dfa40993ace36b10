import type { Schemas } from "~/api/types";
import { defined, matching, text, yes } from "~/ui/search_values";

export const ORDERS = [
  "newest",
  "oldest",
  "name",
  "name_reversed",
] as const satisfies readonly Schemas["Order"][];

/** What every list keeps in its address: what it is narrowed to, its order, what is chosen. */
export interface ListSearch {
  /** Words that are looked for. */
  q?: string;
  tag?: string;
  favourite?: true;
  sort?: Schemas["Order"];
  /** How many pages are shown, where that is more than one. */
  pages?: number;
  chosen?: string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MOST_PAGES = 50;

export function readListSearch(search: Record<string, unknown>): ListSearch {
  const chosen = Array.isArray(search.chosen) ? search.chosen.map(readId).filter(isDefined) : [];
  const { pages } = search;
  const several = Number.isInteger(pages) && (pages as number) > 1;
  return defined({
    q: text(search.q)?.slice(0, 200),
    tag: text(search.tag)?.slice(0, 40),
    favourite: yes(search.favourite),
    sort: ORDERS.find((order) => order !== "newest" && order === search.sort),
    pages: several ? Math.min(pages as number, MOST_PAGES) : undefined,
    chosen: chosen.length > 0 ? [...new Set(chosen)] : undefined,
  });
}

/** Of a list whose things have no tags and are no favourites. */
export function readUnmarkedSearch(search: Record<string, unknown>): ListSearch {
  const { tag: _, favourite: __, ...read } = readListSearch(search);
  return read;
}

/** The same as the API takes it. */
export function listQuery({ q, tag, favourite, sort }: ListSearch) {
  return { q, tag: tag === undefined ? undefined : [tag], favourite, sort };
}

/**
 * Whether the list is narrowed at all; order, pages and what is chosen narrow nothing, nor does the
 * page's language, which an address may name too.
 */
export function isNarrowed<Search extends ListSearch>(search: Search & { lang?: string }): boolean {
  const { sort: _, pages: __, chosen: ___, lang: ____, ...narrow } = search;
  return Object.values(narrow).some((value) => value !== undefined);
}

export function readId(value: unknown): string | undefined {
  return matching(UUID, value);
}

/** Which kinds there are is known to the server. */
export function readKind(value: unknown): Schemas["KindName"] | undefined {
  return matching(/^[a-z_]{1,64}$/, value) as Schemas["KindName"] | undefined;
}

function isDefined<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
