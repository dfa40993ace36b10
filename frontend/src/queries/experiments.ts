import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { type Narrowing, pagesOptions, wholeOptions } from "./pages";

export type Experiment = Schemas["ExperimentView"];
/** In a list, where the specification of one that another version stored is null. */
export type ListedExperiment = Schemas["ListedExperiment"];
export type Plan = Schemas["PlanView"];

export const experimentKeys = {
  all: ["experiments"] as const,
  lists: () => [...experimentKeys.all, "list"] as const,
  one: (id: string) => [...experimentKeys.all, "one", id] as const,
  plan: (text: string, cluster: string | undefined, seen: string) =>
    [...experimentKeys.all, "plan", text, cluster, seen] as const,
};

export const experimentsOptions = wholeOptions(
  [...experimentKeys.lists(), "all"],
  (query, signal) => unwrap(api.GET("/api/v1/experiments", { params: { query }, signal })),
);

/** What `GET /experiments` can narrow the list to. */
export type ExperimentsQuery = Narrowing<"/api/v1/experiments">;

/** Experiments page by page. */
export const experimentPagesOptions = (asked: ExperimentsQuery) =>
  pagesOptions([...experimentKeys.lists(), "paged", asked], (cursor, signal) =>
    unwrap(api.GET("/api/v1/experiments", { params: { query: { ...asked, cursor } }, signal })),
  );

/** Whether any experiment was defined yet. */
export const anyExperimentOptions = queryOptions({
  queryKey: [...experimentKeys.lists(), "any"],
  queryFn: async ({ signal }) => {
    const query = { limit: 1 };
    const page = await unwrap(api.GET("/api/v1/experiments", { params: { query }, signal }));
    return page.items.length > 0;
  },
});

export const experimentOptions = (id: string) =>
  queryOptions({
    queryKey: experimentKeys.one(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/experiments/{experiment_id}", {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
  });

/**
 * The plan of a specification, on `cluster` where one is chosen; an answer that it refuses it is
 * final too. `seen` changes whenever what is known of the clusters does.
 */
export const planOptions = (text: string, cluster?: string, seen = "") =>
  queryOptions({
    queryKey: experimentKeys.plan(text, cluster, seen),
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v1/experiments/plan", {
          ...yaml(text),
          params: { query: { cluster_id: cluster } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** Keeps what the server answered about an experiment; lists are asked for again. */
function useKeep() {
  const client = useQueryClient();
  return (kept: Experiment) => {
    client.setQueryData(experimentOptions(kept.id).queryKey, kept);
    void client.invalidateQueries({ queryKey: experimentKeys.lists() });
  };
}

export function useCreate() {
  const keep = useKeep();
  return useMutation({
    mutationFn: (text: string) => unwrap(api.POST("/api/v1/experiments", yaml(text))),
    onSuccess: keep,
  });
}

/** Writes an experiment again, unless it has another version than `version` now (412). */
export function useReplace(id: string) {
  const keep = useKeep();
  return useMutation({
    mutationFn: ({ text, version }: { text: string; version: number }) =>
      unwrap(
        api.PUT("/api/v1/experiments/{experiment_id}", {
          ...yaml(text),
          params: { path: { experiment_id: id }, header: ifMatch(version) },
        }),
      ),
    onSuccess: keep,
  });
}

/** Forgets an experiment, unless it has another version now (412); without one whichever. */
export async function removeExperiment(id: string, version?: number): Promise<void> {
  await unwrap(
    api.DELETE("/api/v1/experiments/{experiment_id}", {
      params: { path: { experiment_id: id }, header: ifMatch(version) },
    }),
  );
}

/** One experiment, as it is now. */
export async function readExperiment(id: string): Promise<Experiment> {
  return await unwrap(
    api.GET("/api/v1/experiments/{experiment_id}", { params: { path: { experiment_id: id } } }),
  );
}

export function useRemove(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number) => removeExperiment(id, version),
    onSuccess: () => {
      client.removeQueries({ queryKey: experimentKeys.one(id) });
      void client.invalidateQueries({ queryKey: experimentKeys.lists() });
    },
  });
}

/** The text itself is sent, so that the API reads the editor's content. */
function yaml(text: string) {
  return {
    body: text,
    bodySerializer: () => text,
    headers: { "Content-Type": "application/yaml" },
  };
}
