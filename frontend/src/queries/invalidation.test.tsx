import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import * as clusters from "./clusters";
import { clusterKeys, clusterOptions, clustersOptions, usePreflight } from "./clusters";
import * as experiments from "./experiments";
import {
  anyExperimentOptions,
  experimentOptions,
  experimentsOptions,
  useCreate,
} from "./experiments";
import {
  currentRunsOptions,
  newestRunsOptions,
  runOptions,
  runPlanOptions,
  runsOptions,
  type Step,
  useStart,
  useStep,
} from "./runs";
import * as snapshots from "./snapshots";
import { snapshotPagesOptions, useShare } from "./snapshots";
import { tokensOptions, useMint } from "./tokens";

/** What the API answers to whatever is asked. */
const ANSWER = { id: "one", version: 2 };

vi.mock("~/api/client", async (load) => {
  const answer = () => Promise.resolve({ data: ANSWER, response: new Response() });
  const api = { GET: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer };
  return { ...(await load<typeof import("~/api/client")>()), api };
});

let client: QueryClient;
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
);

beforeEach(() => {
  client = new QueryClient();
});

/** Which of these, all read before, are asked for again once the change was made. */
async function stale<Hook>(
  keys: Record<string, QueryKey>,
  use: () => Hook,
  change: (hook: Hook) => Promise<unknown>,
): Promise<string[]> {
  for (const queryKey of Object.values(keys)) client.setQueryData(queryKey, {});
  const { result } = renderHook(use, { wrapper });
  await change(result.current);
  const found = () =>
    Object.keys(keys).filter((name) => client.getQueryState(keys[name] ?? [])?.isInvalidated);
  await waitFor(() => expect(client.isMutating()).toBe(0));
  return found();
}

const LISTS = {
  paged: runsOptions({ state: ["finished"] }).queryKey,
  newest: newestRunsOptions({ limit: 200 }).queryKey,
  current: currentRunsOptions.queryKey,
};
const ONE = {
  detail: runOptions("one").queryKey,
  plan: runPlanOptions("one").queryKey,
  other: runOptions("other").queryKey,
};

it("asks for every list of runs again when one was queued, and for no single run", async () => {
  const found = await stale({ ...LISTS, ...ONE }, useStart, (start) =>
    start.mutateAsync({ id: "experiment", version: 1, clusterId: null, force: false }),
  );
  expect(found).toEqual(Object.keys(LISTS));
});

it.each<[Step, string[]]>([
  ["cancel", [...Object.keys(LISTS), "detail"]],
  ["delete", Object.keys(LISTS)],
])("asks for the lists again after a run's %s, and for the run if it is still there", async (step, expected) => {
  const found = await stale(
    { ...LISTS, ...ONE },
    () => useStep("one"),
    (hook) => hook.mutateAsync(step),
  );
  expect(found).toEqual(expected);
});

const RBAC = { capability: "measure", withoutPolicy: false, renew: false } as const;

it("keeps what was answered about a cluster, and asks for the one list of clusters again", async () => {
  const keys = { list: clustersOptions.queryKey, rbac: clusterKeys.rbac(RBAC) };
  expect(await stale(keys, usePreflight, (hook) => hook.mutateAsync("one"))).toEqual(["list"]);
  expect(client.getQueryData(clusterOptions("one").queryKey)).toEqual(ANSWER);
  const cluster = ANSWER as unknown as clusters.Cluster;
  client = new QueryClient();
  expect(await stale(keys, clusters.useRemove, (hook) => hook.mutateAsync(cluster))).toEqual([
    "list",
  ]);
});

it("asks for the lists of experiments again when one was written or removed", async () => {
  const keys = {
    all: experimentsOptions.queryKey,
    any: anyExperimentOptions.queryKey,
    other: experimentOptions("other").queryKey,
  };
  expect(await stale(keys, useCreate, (hook) => hook.mutateAsync("name: a"))).toEqual([
    "all",
    "any",
  ]);
  expect(client.getQueryData(experimentOptions("one").queryKey)).toEqual(ANSWER);
  client = new QueryClient();
  const use = () => experiments.useRemove("one");
  expect(await stale(keys, use, (hook) => hook.mutateAsync(1))).toEqual(["all", "any"]);
  expect(client.getQueryData(experimentOptions("one").queryKey)).toBeUndefined();
});

it("asks for snapshots and tokens again when one came or went", async () => {
  const keys = { snapshots: snapshotPagesOptions({}).queryKey, tokens: tokensOptions.queryKey };
  const share = () => useShare({ kind: "run", id: "one" }, () => "");
  const given = { title: "a", keep: [], expires_in_days: null };
  expect(await stale(keys, share, (hook) => hook.mutateAsync(given))).toEqual(["snapshots"]);
  expect(
    await stale(keys, useMint, (hook) =>
      hook.mutateAsync({ name: "a" } as unknown as Parameters<typeof hook.mutateAsync>[0]),
    ),
  ).toContain("tokens");
  client = new QueryClient();
  expect(await stale(keys, snapshots.useRevoke, (hook) => hook.mutateAsync("one"))).toEqual([
    "snapshots",
  ]);
});
