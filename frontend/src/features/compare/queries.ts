import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type Run = Schemas["RunSummary"];
export type RunDetail = Schemas["RunDetail"];
export type Case = Schemas["CaseView"];

const MOST = 200;

export const compareKeys = {
  one: (id: string) => ["comparisons", id] as const,
  runs: ["comparisons", "runs"] as const,
  run: (id: string) => ["comparisons", "run", id] as const,
  cases: (id: string) => ["comparisons", "cases", id] as const,
};

/** A comparison is frozen: what was read stays right. */
export const comparisonOptions = (id: string) =>
  queryOptions({
    queryKey: compareKeys.one(id),
    queryFn: async () =>
      await unwrap(
        api.GET("/api/v1/comparisons/{comparison_id}", { params: { path: { comparison_id: id } } }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What can be compared, newest first, page by page. */
export const finishedRunsOptions = infiniteQueryOptions({
  queryKey: compareKeys.runs,
  queryFn: async ({ pageParam }) =>
    await unwrap(
      api.GET("/api/v1/runs", {
        params: { query: { state: ["finished"], limit: MOST, cursor: pageParam } },
      }),
    ),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export const runOptions = (id: string) =>
  queryOptions({
    queryKey: compareKeys.run(id),
    queryFn: async () =>
      await unwrap(api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: id } } })),
  });

export const casesOptions = (id: string) =>
  queryOptions({
    queryKey: compareKeys.cases(id),
    queryFn: () =>
      allPages((cursor) =>
        unwrap(
          api.GET("/api/v1/runs/{run_id}/cases", {
            params: { path: { run_id: id }, query: { limit: MOST, cursor } },
          }),
        ),
      ),
  });

export function useCompare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas["NewComparison"]) =>
      await unwrap(api.POST("/api/v1/comparisons", { body })),
    onSuccess: (made) => client.setQueryData(compareKeys.one(made.id), made),
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
