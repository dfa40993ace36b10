import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { forgetText, rememberText } from "./written_text";

export type Kind = Schemas["KindView"];
export type Axis = Schemas["AxisDefinition"];
export type Experiment = Schemas["ExperimentView"];
export type Plan = Schemas["PlanView"];
export type Cluster = Schemas["ClusterView"];
export type Run = Schemas["RunSummary"];

export const experimentKeys = {
  all: ["experiments"] as const,
  one: (id: string) => ["experiments", id] as const,
  plan: (text: string) => ["experiments", "plan", text] as const,
};

/** The kinds that this version runs; they change with the server alone. */
export const kindsOptions = queryOptions({
  queryKey: ["kinds"],
  queryFn: async () => (await unwrap(api.GET("/api/v1/kinds"))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

export const experimentsOptions = queryOptions({
  queryKey: experimentKeys.all,
  queryFn: () =>
    allPages(
      async (cursor) =>
        await unwrap(api.GET("/api/v1/experiments", { params: { query: { cursor, limit: 200 } } })),
    ),
});

export const experimentOptions = (id: string) =>
  queryOptions({
    queryKey: experimentKeys.one(id),
    queryFn: async () =>
      await unwrap(
        api.GET("/api/v1/experiments/{experiment_id}", { params: { path: { experiment_id: id } } }),
      ),
  });

/** The plan of a specification; an answer that it refuses it is final too. */
export const planOptions = (text: string) =>
  queryOptions({
    queryKey: experimentKeys.plan(text),
    queryFn: async ({ signal }) =>
      await unwrap(api.POST("/api/v1/experiments/plan", { ...yaml(text), signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** The same key and shape as wherever else all clusters are asked for. */
export const clustersOptions = queryOptions({
  queryKey: ["clusters", "list"],
  queryFn: () =>
    allPages(
      async (cursor) =>
        await unwrap(api.GET("/api/v1/clusters", { params: { query: { cursor, limit: 200 } } })),
    ),
});

/** The latest runs of all experiments, in one request, newest first; `complete` if there are no more. */
export const latestRunsOptions = queryOptions({
  queryKey: ["runs", "latest"],
  queryFn: async () => {
    const page = await unwrap(api.GET("/api/v1/runs", { params: { query: { limit: 200 } } }));
    return { runs: page.items, complete: page.next_cursor === null };
  },
});

export const runsOfOptions = (experimentId: string) =>
  queryOptions({
    queryKey: ["runs", "of", experimentId],
    queryFn: async () =>
      (
        await unwrap(
          api.GET("/api/v1/runs", {
            params: { query: { experiment_id: experimentId, limit: 10 } },
          }),
        )
      ).items,
  });

export function useCreate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (text: string) => await unwrap(api.POST("/api/v1/experiments", yaml(text))),
    onSuccess: (kept, text) => {
      rememberText(kept.id, kept.version, text);
      client.setQueryData(experimentOptions(kept.id).queryKey, kept);
      void client.invalidateQueries({ queryKey: experimentKeys.all, exact: true });
    },
  });
}

/** Writes an experiment anew, unless it has another version than `version` by now (412). */
export function useReplace(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ text, version }: { text: string; version: number }) =>
      await unwrap(
        api.PUT("/api/v1/experiments/{experiment_id}", {
          ...yaml(text),
          params: { path: { experiment_id: id }, header: { "if-match": `"${version}"` } },
        }),
      ),
    onSuccess: (kept, { text }) => {
      rememberText(id, kept.version, text);
      client.setQueryData(experimentOptions(id).queryKey, kept);
      void client.invalidateQueries({ queryKey: experimentKeys.all, exact: true });
    },
  });
}

export function useRemove(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (version: number) =>
      await unwrap(
        api.DELETE("/api/v1/experiments/{experiment_id}", {
          params: { path: { experiment_id: id }, header: { "if-match": `"${version}"` } },
        }),
      ),
    onSuccess: () => {
      forgetText(id);
      client.removeQueries({ queryKey: experimentKeys.one(id) });
      void client.invalidateQueries({ queryKey: experimentKeys.all, exact: true });
    },
  });
}

/** Queues a run; `clusterId` is null where the axis `cluster` says where. */
export function useStart() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, clusterId }: { id: string; clusterId: string | null }) =>
      await unwrap(
        api.POST("/api/v1/experiments/{experiment_id}/runs", {
          params: { path: { experiment_id: id } },
          body: { cluster_id: clusterId },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["runs"] }),
  });
}

/** The text itself is sent, so that what the API reads is what stands in the editor. */
function yaml(text: string) {
  return {
    body: text as unknown as Schemas["Spec"],
    bodySerializer: () => text,
    headers: { "Content-Type": "application/yaml" },
  };
}
