import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { isNarrowed, type ListSearch } from "./list_search";

/** What of a list is chosen, and what chooses it. */
export interface Choice {
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}

/** What the table of a list takes: what it shows, what of it is chosen, how it is ordered. */
export interface ListTableProps<Item> extends Choice {
  items: readonly Item[];
  search: ListSearch;
  onChange: (change: ListSearch) => void;
}

/** A list as its page has it. */
export interface List<Item> extends ListTableProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: Item[] }>>;
  /** Whether there is nothing at all, rather than nothing that it is narrowed to. */
  bare: boolean;
}

/** What was read of a list so far, and what its address says of it. */
export function listOf<Item>(
  query: List<Item>["query"],
  search: ListSearch,
  onChange: (change: ListSearch) => void,
): List<Item> {
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return {
    query,
    items,
    bare: query.data !== undefined && items.length === 0 && !isNarrowed(search),
    chosen: search.chosen ?? [],
    onChoose: (ids) => onChange({ chosen: ids.length > 0 ? [...ids] : undefined }),
    search,
    onChange,
  };
}
