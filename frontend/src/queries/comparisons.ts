import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { type Narrowing, pagesOptions } from "./pages";

export type SavedComparison = Schemas["ComparisonSummary"];

export const comparisonKeys = {
  all: ["comparisons"] as const,
  lists: () => [...comparisonKeys.all, "list"] as const,
  one: (id: string) => [...comparisonKeys.all, "one", id] as const,
};

/** The comparisons that were made last, newest first. */
export const latestComparisonsOptions = queryOptions({
  queryKey: [...comparisonKeys.lists(), "latest"],
  queryFn: async ({ signal }) => {
    const query = { limit: 5 };
    return (await unwrap(api.GET("/api/v1/comparisons", { params: { query }, signal }))).items;
  },
});

/** What `GET /comparisons` can narrow the list to. */
export type ComparisonsQuery = Narrowing<"/api/v1/comparisons">;

/** Comparisons page by page. */
export const comparisonPagesOptions = (asked: ComparisonsQuery) =>
  pagesOptions([...comparisonKeys.lists(), "paged", asked], (cursor, signal) =>
    unwrap(api.GET("/api/v1/comparisons", { params: { query: { ...asked, cursor } }, signal })),
  );

export async function removeComparison(id: string): Promise<void> {
  await unwrap(
    api.DELETE("/api/v1/comparisons/{comparison_id}", { params: { path: { comparison_id: id } } }),
  );
}

/** A comparison as a file's text. */
export async function readComparisonExport(id: string, format: Schemas["Format"]): Promise<string> {
  return (await unwrap(
    api.GET("/api/v1/comparisons/{comparison_id}/export", {
      params: { path: { comparison_id: id }, query: { format } },
      parseAs: "text",
    }),
  )) as string;
}

/** A comparison is frozen: what was read stays right. */
export const comparisonOptions = (id: string) =>
  queryOptions({
    queryKey: comparisonKeys.one(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/comparisons/{comparison_id}", {
          params: { path: { comparison_id: id } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export function useCompare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["NewComparison"]) =>
      unwrap(api.POST("/api/v1/comparisons", { body })),
    onSuccess: (made) => {
      client.setQueryData(comparisonOptions(made.id).queryKey, { ...made, outdated: false });
      void client.invalidateQueries({ queryKey: comparisonKeys.lists() });
    },
  });
}

const FORMATS = ["json", "csv", "markdown"] as const satisfies readonly Schemas["Format"][];

/** Where a comparison can be downloaded, by format. */
export function downloadsOf(id: string) {
  return FORMATS.map((format) => ({
    format,
    href: `/api/v1/comparisons/${id}/export?format=${format}`,
  }));
}
