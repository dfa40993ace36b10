import { infiniteQueryOptions, keepPreviousData, type QueryKey } from "@tanstack/react-query";
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

/** How a list is read page by page: each says where the next one begins. */
export const byCursor = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { next_cursor: string | null }) => page.next_cursor ?? undefined,
};

/** A list page by page; what is shown stays until what it is narrowed to next was read. */
export const pagesOptions = <Page extends { next_cursor: string | null }>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    ...byCursor,
    placeholderData: keepPreviousData,
  });
