import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type ReferenceSummary = Schemas["ReferenceSummary"];
export type ReferenceDocument = Schemas["ReferenceDocument"];
export type PublishedTable = Schemas["PublishedTable"];
export type PublishedCell = Schemas["PublishedCell"];
export type PublishedClaim = Schemas["PublishedClaim"];
export type Reproduction = Schemas["Reproduction"];

export const referenceKeys = {
  all: ["references"] as const,
  list: () => [...referenceKeys.all, "list"] as const,
  one: (id: string) => [...referenceKeys.all, "one", id] as const,
  reproduction: (id: string, runs: readonly string[]) =>
    [...referenceKeys.all, "reproduction", id, runs] as const,
};

/** Published result sets; they change with the server alone. */
export const referencesOptions = queryOptions({
  queryKey: referenceKeys.list(),
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET("/api/v1/references", { params: { query: {} }, signal }))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

/** One of them, whole. */
export const referenceOptions = (id: string) =>
  queryOptions({
    queryKey: referenceKeys.one(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/references/{reference_id}", {
          params: { path: { reference_id: id } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One of them beside runs of its experiments. */
export const reproductionOptions = (id: string, runs: string[]) =>
  queryOptions({
    queryKey: referenceKeys.reproduction(id, runs),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/references/{reference_id}/reproduction", {
          params: { path: { reference_id: id }, query: { run_id: runs } },
          signal,
        }),
      ),
  });
