import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { experimentKeys } from "./experiments";
import { type Followed, follow } from "./follow";
import { useLeaving } from "./leaving";
import { MOST, type Narrowing, pagesOptions, wholeOptions } from "./pages";
import { POLL_MS, pollUntilMissing } from "./polling";

export type Run = Schemas["RunSummary"];
export type RunDetail = Schemas["RunDetail"];
export type Block = Schemas["BlockView"];
export type Case = Schemas["CaseView"];
export type Trial = Schemas["TrialSummary"];
export type TrialDetail = Schemas["TrialDetail"];
export type LogLine = Schemas["LogLine"];
export type RunPlan = Schemas["RunPlan"];

/** What `GET /runs` can narrow the list to. */
export type RunsQuery = Narrowing<"/api/v1/runs">;

/** What of a run is read apart, and so is asked for again apart. */
export type Part = "detail" | "cases" | "trials" | "trial" | "report" | "log" | "changes";

export const runKeys = {
  all: ["runs"] as const,
  lists: () => [...runKeys.all, "list"] as const,
  one: (id: string) => [...runKeys.all, "one", id] as const,
  part: (id: string, part: Part) => [...runKeys.one(id), part] as const,
  plan: (id: string) => [...runKeys.all, "plan", id] as const,
  step: (id: string) => [...runKeys.all, "step", id] as const,
};

/** How often is asked again while a run of a list continues, in ms. */
const GOING_ON_MS = 2_000;

async function readRuns(query: RunsQuery & { cursor?: string }, signal: AbortSignal) {
  return await unwrap(api.GET("/api/v1/runs", { params: { query }, signal }));
}

/** Runs, newest first, page by page; asked for again while one is unfinished, or has no answer yet. */
export const runsOptions = (filters: RunsQuery) =>
  infiniteQueryOptions({
    ...pagesOptions([...runKeys.lists(), "paged", filters], (cursor, signal) =>
      readRuns({ ...filters, cursor }, signal),
    ),
    refetchInterval: ({ state }) => {
      const runs = state.data?.pages.flatMap((page) => page.items) ?? [];
      return runs.some((run) => run.state !== "finished" || awaitsAnswer(run)) && GOING_ON_MS;
    },
  });

/** Whether it has just ended: the server makes its answer within seconds. */
function awaitsAnswer({ answer, finished_at }: Run): boolean {
  return (
    answer === null &&
    finished_at !== null &&
    Math.abs(Date.now() - Date.parse(finished_at)) < 30_000
  );
}

/** The newest runs, in one request; `complete` if there are no others. */
export const newestRunsOptions = (filters: RunsQuery) =>
  queryOptions({
    queryKey: [...runKeys.lists(), "newest", filters],
    queryFn: async ({ signal }) => {
      const page = await readRuns(filters, signal);
      return { runs: page.items, complete: page.next_cursor === null };
    },
  });

/** The states of a run that continues, the one furthest along first. */
const GOING_ON = ["cleaning", "waiting", "running", "preflight", "queued"] as const;
const LATEST = 8;

const furthest = ({ state }: { state: string }) => GOING_ON.findIndex((one) => one === state);

/** Runs that go on, and the latest that ended. */
export const currentRunsOptions = queryOptions({
  queryKey: [...runKeys.lists(), "current"],
  queryFn: async ({ signal }) => {
    const [finished, goingOn] = await Promise.all([
      readRuns({ state: ["finished"], limit: LATEST }, signal),
      readRuns({ state: [...GOING_ON], limit: MOST }, signal),
    ]);
    // A run may have ended between the two answers; it is shown once.
    const ended = new Set(finished.items.map(({ id }) => id));
    const left = goingOn.items.filter(({ id }) => !ended.has(id));
    left.sort((one, two) => furthest(one) - furthest(two));
    return { finished: finished.items, goingOn: left };
  },
  refetchInterval: ({ state }) => (state.data?.goingOn.length ? GOING_ON_MS : POLL_MS),
});

export const runOptions = (id: string) =>
  queryOptions({
    queryKey: runKeys.part(id, "detail"),
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: id } }, signal })),
  });

/**
 * A run as its page has it: events report a running run, and nothing of a finished run. Not
 * asked for any more while the page itself is `leaving` it, deleted.
 */
export const watchedRunOptions = (id: string, leaving: boolean) => ({
  ...runOptions(id),
  refetchInterval: pollUntilMissing(() => POLL_MS),
  enabled: !leaving,
});

/** All cases in the order of the matrix. */
export const casesOptions = (id: string) =>
  wholeOptions(runKeys.part(id, "cases"), (query, signal) =>
    unwrap(
      api.GET("/api/v1/runs/{run_id}/cases", { params: { path: { run_id: id }, query }, signal }),
    ),
  );

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
  wholeOptions([...runKeys.part(id, "trials"), "case", caseId], (page, signal) =>
    unwrap(
      api.GET("/api/v1/runs/{run_id}/trials", {
        params: { path: { run_id: id }, query: { ...page, case_id: caseId } },
        signal,
      }),
    ),
  );

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

/**
 * What a run measured and found. The summaries of main metrics are a tenth of a large run's: who
 * shows no others asks for these.
 */
export const reportOptions = (id: string, metrics: "main" | "all") =>
  queryOptions({
    queryKey: [...runKeys.part(id, "report"), metrics],
    queryFn: async ({ client, signal }) => {
      // The answer first: side by side, both would take as long as the larger one.
      if (metrics === "all") await client.ensureQueryData(reportOptions(id, "main"));
      return await unwrap(
        api.GET("/api/v1/runs/{run_id}/summaries", {
          params: { path: { run_id: id }, query: { metrics } },
          signal,
        }),
      );
    },
  });

/** What changed since another run of the experiment, or since the one before. */
export const changesOptions = (id: string, since?: string) =>
  queryOptions({
    queryKey: [...runKeys.part(id, "changes"), since],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/runs/{run_id}/changes", {
          params: { path: { run_id: id }, query: { since_run_id: since } },
          signal,
        }),
      ),
    retry: false,
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
export const runPlanOptions = (id: string) =>
  queryOptions({
    queryKey: runKeys.plan(id),
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/runs/{run_id}/plan", { params: { path: { run_id: id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Which experiment is run where: the `version` whose plan was shown. `clusterId` is null where the
 * axis `cluster` says where; `force` goes past what is uncertain.
 */
interface NewStart {
  id: string;
  version: number;
  clusterId: string | null;
  force: boolean;
}

/** Queues a run. */
export function useStart() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version, clusterId, force }: NewStart) =>
      unwrap(
        api.POST("/api/v1/experiments/{experiment_id}/runs", {
          params: { path: { experiment_id: id } },
          body: { cluster_id: clusterId, version, force },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: runKeys.lists() }),
  });
}

/** What a repeated run has more of; what is null stays as it was. */
export type NewRepetition = Pick<Schemas["NextRun"], "rounds" | "seconds" | "trials">;

const body = (
  { rounds, seconds, trials }: NewRepetition,
  force = false,
): Schemas["NewRepetition"] => ({ rounds, seconds, trials, force });

/** What such a run would do and see. */
const repeatPlanOptions = (id: string, changes: NewRepetition) =>
  queryOptions({
    queryKey: [...runKeys.plan(id), "repeat", body(changes)],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v1/runs/{run_id}/repeat/plan", {
          params: { path: { run_id: id } },
          body: body(changes),
          signal,
        }),
      ),
  });

/** A new run of what a run ran with, its repetition changed: its plan once asked, its queueing. */
export function useRepeat(id: string, changes: NewRepetition, asked: boolean) {
  const client = useQueryClient();
  const plan = useQuery({ ...repeatPlanOptions(id, changes), enabled: asked });
  const queue = useMutation({
    mutationFn: (force: boolean) =>
      unwrap(
        api.POST("/api/v1/runs/{run_id}/repeat", {
          params: { path: { run_id: id } },
          body: body(changes, force),
        }),
      ),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: runKeys.lists() }),
        client.invalidateQueries({ queryKey: experimentKeys.lists() }),
      ]),
  });
  return { plan, queue };
}

/** Deletes a run for good; what shows runs is not asked for again by this. */
export async function removeRun(id: string): Promise<void> {
  await unwrap(api.DELETE("/api/v1/runs/{run_id}", { params: { path: { run_id: id } } }));
}

/** A run's results as a file's text. */
export async function readExport(id: string, format: Schemas["Format"]): Promise<string> {
  return (await unwrap(
    api.GET("/api/v1/runs/{run_id}/export", {
      params: { path: { run_id: id }, query: { format } },
      parseAs: "text",
    }),
  )) as string;
}

export type Step = "cancel" | "conclude" | "retry" | "resume" | "delete";

/** Asks for a change of a run's life. What became of it is read again, never assumed. */
export function useStep(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: runKeys.step(id),
    mutationFn: async (step: Step): Promise<void> => {
      const params = { path: { run_id: id } };
      if (step === "cancel") await unwrap(api.POST("/api/v1/runs/{run_id}/cancel", { params }));
      if (step === "conclude") await unwrap(api.POST("/api/v1/runs/{run_id}/conclude", { params }));
      if (step === "retry") await unwrap(api.POST("/api/v1/runs/{run_id}/retry", { params }));
      if (step === "resume") await unwrap(api.POST("/api/v1/runs/{run_id}/resume", { params }));
      if (step === "delete") {
        await client.cancelQueries({ queryKey: runKeys.one(id) });
        await removeRun(id);
      }
    },
    onSettled: async (_, error, step) => {
      const gone = step === "delete" && error === null;
      await Promise.all([
        client.invalidateQueries({ queryKey: runKeys.lists() }),
        gone || client.invalidateQueries({ queryKey: runKeys.one(id) }),
      ]);
    },
  });
}

/** Whether a run is being deleted here, or was. */
export function useLeavingRun(id: string): boolean {
  return useLeaving<Step>(runKeys.step(id), (step) => step === "delete");
}
