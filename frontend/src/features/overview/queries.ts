import { queryOptions } from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type Run = Schemas["RunSummary"];
export type Cluster = Schemas["ClusterView"];

/** How often is asked while runs go on, in ms. */
const WHILE_RUNNING = 2_000;
const LATEST = 8;

/** The states of a run that goes on, the one furthest along first. */
const GOING_ON = ["cleaning", "running", "preflight", "queued"] as const;

async function runs(state: Schemas["RunState"], limit: number, signal: AbortSignal) {
  const query = { state: [state], limit };
  return (await unwrap(api.GET("/api/v1/runs", { params: { query }, signal }))).items;
}

/** Runs that go on, and the latest that ended. */
export const runsOptions = queryOptions({
  queryKey: ["runs", "overview"],
  queryFn: async ({ signal }) => {
    const [finished, ...goingOn] = await Promise.all([
      runs("finished", LATEST, signal),
      ...GOING_ON.map((state) => runs(state, 50, signal)),
    ]);
    // A run may have moved on between two of these answers; it is shown once.
    const byId = new Map(goingOn.flat().map((run) => [run.id, run]));
    for (const { id } of finished) byId.delete(id);
    return { finished, goingOn: [...byId.values()] };
  },
  refetchInterval: ({ state }) => (state.data?.goingOn.length ? WHILE_RUNNING : false),
});

export const clustersOptions = queryOptions({
  queryKey: ["clusters", "overview"],
  queryFn: ({ signal }) =>
    allPages((cursor) =>
      unwrap(api.GET("/api/v1/clusters", { params: { query: { limit: 200, cursor } }, signal })),
    ),
});

/** Whether any experiment was defined yet. */
export const anyExperimentOptions = queryOptions({
  queryKey: ["experiments", "overview"],
  queryFn: async ({ signal }) => {
    const query = { limit: 1 };
    const page = await unwrap(api.GET("/api/v1/experiments", { params: { query }, signal }));
    return page.items.length > 0;
  },
});
