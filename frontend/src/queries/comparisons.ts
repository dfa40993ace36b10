import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export const comparisonKeys = {
  all: ["comparisons"] as const,
  one: (id: string) => [...comparisonKeys.all, "one", id] as const,
};

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
    onSuccess: (made) => client.setQueryData(comparisonOptions(made.id).queryKey, made),
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
