import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  queryOptions,
} from "@tanstack/react-query";
import type { paths } from "~/api/schema";

/** The lists of the API by their paths. */
type ListPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { parameters: { query?: { cursor?: unknown } } };
  }
    ? Path
    : never;
}[keyof paths];

/** What a list can be narrowed to: its parameters but for the cursor. */
export type Narrowing<Path extends ListPath> = Omit<
  NonNullable<paths[Path]["get"]["parameters"]["query"]>,
  "cursor"
>;

/** As many as the API puts on a page. */
export const MOST = 200;

interface Paged {
  next_cursor: string | null;
}

/** How a list is read page by page: each says where the next one begins. */
export const byCursor = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: Paged) => page.next_cursor ?? undefined,
};

/** A list page by page; what is shown stays until what it is narrowed to next was read. */
export const pagesOptions = <Page extends Paged>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    ...byCursor,
    placeholderData: keepPreviousData,
  });

/** A whole list; `read` reads one page of it. */
export const wholeOptions = <Item>(
  queryKey: QueryKey,
  read: (
    page: { limit: number; cursor?: string },
    signal: AbortSignal,
  ) => Promise<Paged & { items: Item[] }>,
) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const page = await read({ limit: MOST, cursor }, signal);
        items.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return items;
    },
  });
