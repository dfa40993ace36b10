import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { type Followed, follow } from "./follow";
import type { RunsSearch } from "./search";

export type Run = Schemas["RunSummary"];
export type RunDetail = Schemas["RunDetail"];
export type Block = Schemas["BlockView"];
export type Case = Schemas["CaseView"];
export type Trial = Schemas["TrialSummary"];
export type TrialDetail = Schemas["TrialDetail"];
export type LogLine = Schemas["LogLine"];
export type Plan = Schemas["RunPlan"];

export type Filters = Omit<RunsSearch, "chosen">;

/** What of a run is read apart, and so is asked for again apart. */
export type Part = "detail" | "cases" | "trials" | "trial" | "report" | "log";

export const runKeys = {
  lists: ["runs", "list"] as const,
  one: (id: string) => ["runs", "one", id] as const,
  part: (id: string, part: Part) => [...runKeys.one(id), part] as const,
};

const MOST = 200;
const AGAIN_MS = 3_000;

/** Runs, newest first, page by page; asked for again only while one of them has not finished. */
export const runsOptions = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: [...runKeys.lists, filters],
    queryFn: ({ pageParam, signal }) => {
      const { cluster, state, ...rest } = filters;
      const states = state === undefined ? undefined : [state];
      const query = { ...rest, state: states, cluster_id: cluster, cursor: pageParam };
      return unwrap(api.GET("/api/v1/runs", { params: { query }, signal }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const runs = state.data?.pages.flatMap((page) => page.items) ?? [];
      return runs.some((run) => run.state !== "finished") && AGAIN_MS;
    },
  });

export const runOptions = (id: string) =>
  queryOptions({
    queryKey: runKeys.part(id, "detail"),
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: id } }, signal })),
  });

/** All cases in the order of the matrix. */
export const casesOptions = (id: string) =>
  queryOptions({
    queryKey: runKeys.part(id, "cases"),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        unwrap(
          api.GET("/api/v1/runs/{run_id}/cases", {
            params: { path: { run_id: id }, query: { cursor, limit: MOST } },
            signal,
          }),
        ),
      ),
  });

/** Changes whenever a block has ended. */
export function endedBlocks(run: Pick<RunDetail, "attempt" | "blocks">): string {
  return [run.attempt, ...run.blocks.map((block) => block.ended_at ?? "")].join();
}

/**
 * All trials as they were stored. While they run only new ones are read; when a block ends
 * (`ended` changes) all are, for it may have been void.
 */
export const trialsOptions = (id: string, ended: string) => {
  const queryKey = [...runKeys.part(id, "trials"), "all", ended] as const;
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) =>
      follow(client.getQueryData<Followed<Trial>>(queryKey), (cursor) =>
        unwrap(
          api.GET("/api/v1/runs/{run_id}/trials", {
            params: { path: { run_id: id }, query: { cursor, limit: MOST } },
            signal,
          }),
        ),
      ),
    placeholderData: keepPreviousData,
  });
};

export const caseTrialsOptions = (id: string, caseId: number) =>
  queryOptions({
    queryKey: [...runKeys.part(id, "trials"), "case", caseId],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        unwrap(
          api.GET("/api/v1/runs/{run_id}/trials", {
            params: { path: { run_id: id }, query: { cursor, limit: MOST, case_id: caseId } },
            signal,
          }),
        ),
      ),
  });

export const trialOptions = (id: string, trialId: number) =>
  queryOptions({
    queryKey: [...runKeys.part(id, "trial"), trialId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/runs/{run_id}/trials/{trial_id}", {
          params: { path: { run_id: id, trial_id: trialId } },
          signal,
        }),
      ),
  });

export const reportOptions = (id: string) =>
  queryOptions({
    queryKey: runKeys.part(id, "report"),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/runs/{run_id}/summaries", { params: { path: { run_id: id } }, signal }),
      ),
  });

export const logOptions = (id: string) => {
  const queryKey = runKeys.part(id, "log");
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) =>
      follow(client.getQueryData<Followed<LogLine>>(queryKey), (cursor) =>
        unwrap(
          api.GET("/api/v1/runs/{run_id}/log", {
            params: { path: { run_id: id }, query: { cursor, limit: MOST } },
            signal,
          }),
        ),
      ),
  });
};

/** What the run was planned to do when it was started. It never changes. */
export const planOptions = (id: string) =>
  queryOptions({
    queryKey: ["runs", "plan", id],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/runs/{run_id}/plan", { params: { path: { run_id: id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The kinds with their metrics and axes. */
export const kindsOptions = queryOptions({
  queryKey: ["runs", "kinds"],
  queryFn: async ({ signal }) => (await unwrap(api.GET("/api/v1/kinds", { signal }))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The registered clusters, to filter by. */
export const clusterNamesOptions = queryOptions({
  queryKey: ["runs", "clusters"],
  queryFn: ({ signal }) =>
    allPages((cursor) =>
      unwrap(api.GET("/api/v1/clusters", { params: { query: { cursor, limit: MOST } }, signal })),
    ),
  staleTime: 60_000,
});

/** All fingerprints that a cluster ever had. */
export const fingerprintsOptions = (clusterId: string) =>
  queryOptions({
    queryKey: ["runs", "fingerprints", clusterId],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        unwrap(
          api.GET("/api/v1/clusters/{cluster_id}/fingerprints", {
            params: { path: { cluster_id: clusterId }, query: { cursor, limit: MOST } },
            signal,
          }),
        ),
      ),
  });

export type Step = "cancel" | "retry" | "resume" | "delete";

/** Asks for a change of a run's life. What became of it is read again, never assumed. */
export function useStep(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (step: Step): Promise<void> => {
      const params = { path: { run_id: id } };
      if (step === "cancel") await unwrap(api.POST("/api/v1/runs/{run_id}/cancel", { params }));
      if (step === "retry") await unwrap(api.POST("/api/v1/runs/{run_id}/retry", { params }));
      if (step === "resume") await unwrap(api.POST("/api/v1/runs/{run_id}/resume", { params }));
      if (step === "delete") await unwrap(api.DELETE("/api/v1/runs/{run_id}", { params }));
    },
    onSettled: async (_, error, step) => {
      const gone = step === "delete" && error === null;
      await Promise.all([
        client.invalidateQueries({ queryKey: runKeys.lists }),
        gone || client.invalidateQueries({ queryKey: runKeys.one(id) }),
      ]);
    },
  });
}
