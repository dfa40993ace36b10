import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type SavedComparison = Schemas["ComparisonSummary"];

export const comparisonKeys = {
  all: ["comparisons"] as const,
  latest: () => [...comparisonKeys.all, "latest"] as const,
  one: (id: string) => [...comparisonKeys.all, "one", id] as const,
};

/** The comparisons that were made last, newest first. */
export const latestComparisonsOptions = queryOptions({
  queryKey: comparisonKeys.latest(),
  queryFn: async ({ signal }) => {
    const query = { limit: 5 };
    return (await unwrap(api.GET("/api/v1/comparisons", { params: { query }, signal }))).items;
  },
});

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
      client.setQueryData(comparisonOptions(made.id).queryKey, made);
      void client.invalidateQueries({ queryKey: comparisonKeys.latest() });
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
