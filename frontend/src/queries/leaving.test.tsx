import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as clusters from "./clusters";
import { POLL_MS } from "./polling";
import { newestRunsOptions, useLeavingRun, useStep, watchedRunOptions } from "./runs";

const ONE = { id: "one", version: 2, preflight_state: "done" } as unknown as clusters.Cluster;

const NEVER = new Promise(() => {});

/** What was asked for, and what the API answers to a deletion and to a list. */
let asked: string[] = [];
let deleted: () => Promise<unknown>;
let listed: () => Promise<unknown>;

vi.mock("~/api/client", async (load) => {
  const GET = (path: string) => {
    asked.push(path);
    if (!path.endsWith("_id}")) return listed();
    return Promise.resolve({ data: ONE, response: new Response() });
  };
  const api = { GET, DELETE: () => deleted() };
  return { ...(await load<typeof import("~/api/client")>()), api };
});

beforeEach(() => {
  vi.useFakeTimers();
  listed = () => Promise.resolve({ data: { items: [] }, response: new Response() });
});
afterEach(() => vi.useRealTimers());

function useRunPage() {
  useQuery(newestRunsOptions({}));
  const run = useQuery(watchedRunOptions("one", useLeavingRun("one")));
  return { ...useStep("one"), go: "delete" as const, run };
}

function useClusterPage() {
  useQuery(clusters.clustersOptions);
  const enabled = !clusters.useLeavingCluster("one");
  const run = useQuery({ ...clusters.clusterOptions("one"), enabled });
  return { ...clusters.useRemove(), go: ONE, run };
}

/** The page, read once, whose deletion has begun; answers what it asks for by itself. */
async function leaving<Asked>(
  use: () => { mutate: (asked: Asked) => void; go: Asked },
): Promise<() => Promise<string[]>> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(use, { wrapper });
  const later = async () => {
    asked = [];
    await act(() => vi.advanceTimersByTimeAsync(3 * POLL_MS));
    return asked.filter((path) => path.endsWith("_id}"));
  };
  expect(await later()).not.toEqual([]);
  await act(async () => result.current.mutate(result.current.go));
  return later;
}

it.each([
  ["run", () => leaving(useRunPage)],
  ["cluster", () => leaving(useClusterPage)],
])("does not ask for a %s that it deletes while lists are still being read", async (_, leave) => {
  deleted = async () => {
    listed = () => NEVER;
    return { data: undefined, response: new Response() };
  };
  const later = await leave();
  expect(await later()).toEqual([]);
});

it.each([
  ["run", () => leaving(useRunPage)],
  ["cluster", () => leaving(useClusterPage)],
])("asks again for a %s that was not deleted after all", async (_, leave) => {
  const response = new Response(null, { status: 409 });
  deleted = () => Promise.resolve({ error: {}, response });
  const later = await leave();
  expect(await later()).not.toEqual([]);
});
