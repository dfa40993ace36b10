import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { api, ifMatch, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { useLeaving } from "./leaving";
import { byCursor, type Narrowing, pagesOptions, wholeOptions } from "./pages";
import { POLL_MS, pollUntilMissing } from "./polling";
import { runKeys } from "./runs";

export type Cluster = Schemas["ClusterView"];
export type Replacement = NonNullable<Cluster["replacement"]>;
export type ClusterReport = Schemas["ClusterReport"];
export type UnrestoredSwitch = Schemas["UnrestoredSwitch"];
export type Fingerprint = Schemas["FingerprintView"];
export type MeasuredFloor = Schemas["MeasuredFloor"];
export type FloorToMeasure = Schemas["FloorToMeasure"];
export type Capability = Schemas["Capability"];

/** How often a cluster that a preflight looks at is asked for, in ms. */
const WHILE_LOOKING = 1_500;

export const clusterKeys = {
  all: ["clusters"] as const,
  list: () => [...clusterKeys.all, "list"] as const,
  one: (id: string) => [...clusterKeys.all, "one", id] as const,
  fingerprints: (id: string) => [...clusterKeys.all, "fingerprints", id] as const,
  noise: (id: string) => [...clusterKeys.all, "noise", id] as const,
  rbac: (asked: Rbac) => ["rbac", asked] as const,
  removal: ["clusters", "removal"] as const,
};

/** Whether a preflight is waiting or in progress. */
export function isLooking(cluster: Pick<Cluster, "preflight_state">): boolean {
  return cluster.preflight_state === "queued" || cluster.preflight_state === "running";
}

export const clustersOptions = queryOptions({
  ...wholeOptions(clusterKeys.list(), (query, signal) =>
    unwrap(api.GET("/api/v1/clusters", { params: { query }, signal })),
  ),
  refetchInterval: ({ state }) => (state.data?.some(isLooking) ? WHILE_LOOKING : POLL_MS),
});

/** What `GET /clusters` can narrow the list to. */
export type ClustersQuery = Narrowing<"/api/v1/clusters">;

/** Clusters page by page. */
export const clusterPagesOptions = (asked: ClustersQuery) =>
  infiniteQueryOptions({
    ...pagesOptions([...clusterKeys.list(), "paged", asked], (cursor, signal) =>
      unwrap(api.GET("/api/v1/clusters", { params: { query: { ...asked, cursor } }, signal })),
    ),
    refetchInterval: ({ state }) => {
      const shown = state.data?.pages.flatMap(({ items }) => items);
      return shown?.some(isLooking) ? WHILE_LOOKING : POLL_MS;
    },
  });

export const clusterOptions = (id: string) =>
  queryOptions({
    queryKey: clusterKeys.one(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/clusters/{cluster_id}", { params: { path: { cluster_id: id } }, signal }),
      ),
    refetchInterval: pollUntilMissing<Cluster>((found) =>
      found && isLooking(found) ? WHILE_LOOKING : POLL_MS,
    ),
  });

/** The newest first, page by page. `seen` is when the cluster was last looked at. */
export const fingerprintsOptions = (id: string, seen: string | null) =>
  infiniteQueryOptions({
    queryKey: [...clusterKeys.fingerprints(id), seen],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET("/api/v1/clusters/{cluster_id}/fingerprints", {
          params: { path: { cluster_id: id }, query: { limit: 20, cursor: pageParam } },
          signal,
        }),
      ),
    ...byCursor,
  });

/** All fingerprints that a cluster ever had. */
export const allFingerprintsOptions = (id: string) =>
  wholeOptions([...clusterKeys.fingerprints(id), "all"], (query, signal) =>
    unwrap(
      api.GET("/api/v1/clusters/{cluster_id}/fingerprints", {
        params: { path: { cluster_id: id }, query },
        signal,
      }),
    ),
  );

/** How far a cluster differs from itself, and the runs that would measure it. */
export const noiseFloorOptions = (id: string) =>
  queryOptions({
    queryKey: clusterKeys.noise(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v1/clusters/{cluster_id}/noise-floor", {
          params: { path: { cluster_id: id } },
          signal,
        }),
      ),
  });

/** Queues a run that measures a cluster's noise floor for a kind, by an experiment named so. */
export function useMeasureNoiseFloor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string } & Schemas["NoiseFloorRun"]) =>
      unwrap(
        api.POST("/api/v1/clusters/{cluster_id}/noise-floor", {
          params: { path: { cluster_id: id } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: runKeys.lists() }),
  });
}

/**
 * Which manifest is asked for: the most that is allowed, with or without admission policies, and
 * the image and pull secret that these hold pods to, where they are the cluster's own.
 */
export interface Rbac {
  capability: Exclude<Capability, "renew">;
  withoutPolicy: boolean;
  renew: boolean;
  image?: string;
  secret?: string;
}

/** The manifest that a cluster's owner applies, as text. */
export const rbacOptions = (asked: Rbac) =>
  queryOptions({
    queryKey: clusterKeys.rbac(asked),
    queryFn: ({ signal }): Promise<string> =>
      unwrap(
        api.GET("/api/v1/rbac", {
          params: {
            query: {
              capability: asked.capability,
              admission_policy: !asked.withoutPolicy,
              renew: asked.renew,
              bench_image: asked.image,
              image_pull_secret: asked.secret,
            },
          },
          parseAs: "text",
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Keeps what the server answered about a cluster; lists are asked for again. */
function useKeep() {
  const client = useQueryClient();
  return (cluster: Cluster) => {
    client.setQueryData(clusterOptions(cluster.id).queryKey, cluster);
    return client.invalidateQueries({ queryKey: clusterKeys.list() });
  };
}

/**
 * Registers. What is sent holds a kubeconfig, so nothing of it is kept: `gcTime` 0, and the page
 * resets the mutation once it is done.
 */
export function useRegister() {
  const keep = useKeep();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["NewCluster"]) => unwrap(api.POST("/api/v1/clusters", { body })),
    onSuccess: ({ context: _, dropped: __, ...cluster }) => keep(cluster),
  });
}

/** Asks for preflights. What stood against one is no news once a later one has `looked`. */
export function usePreflight(looked?: string | null) {
  const keep = useKeep();
  const preflight = useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST("/api/v1/clusters/{cluster_id}/preflight", {
          params: { path: { cluster_id: id } },
        }),
      ),
    onSuccess: keep,
  });
  const { reset } = preflight;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another look is what makes it old
  useEffect(reset, [reset, looked]);
  return preflight;
}

/** Changes a cluster if it is still the version that the change was made from. */
export function useChange() {
  const keep = useKeep();
  return useMutation({
    gcTime: 0,
    mutationFn: ({ of, change }: { of: Cluster; change: Schemas["ClusterPatch"] }) =>
      unwrap(
        api.PATCH("/api/v1/clusters/{cluster_id}", {
          params: { path: { cluster_id: of.id }, header: ifMatch(of.version) },
          body: change,
        }),
      ),
    onSuccess: keep,
  });
}

/** Confirms the original mode before another Podmeter's switch, so that it is restored. */
export function usePutBack() {
  const keep = useKeep();
  return useMutation({
    mutationFn: ({ id, stood_before }: { id: string; stood_before: UnrestoredSwitch[] }) =>
      unwrap(
        api.POST("/api/v1/clusters/{cluster_id}/put-back", {
          params: { path: { cluster_id: id } },
          body: { stood_before },
        }),
      ),
    onSuccess: keep,
  });
}

/** Forgets a cluster, unless it has another version now (412); without one whichever. */
export async function removeCluster(id: string, version?: number): Promise<void> {
  const header = ifMatch(version);
  await unwrap(
    api.DELETE("/api/v1/clusters/{cluster_id}", { params: { path: { cluster_id: id }, header } }),
  );
}

export function useRemove() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: clusterKeys.removal,
    mutationFn: async (of: Cluster) => {
      await client.cancelQueries({ queryKey: clusterKeys.one(of.id) });
      await removeCluster(of.id, of.version);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.list() }),
  });
}

/** Whether a cluster is being removed here, or was. */
export function useLeavingCluster(id: string): boolean {
  return useLeaving<Cluster>(clusterKeys.removal, (of) => of?.id === id);
}
