import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { runKeys } from "./runs";

export type ClusterCosts = Schemas["ClusterCosts"];
export type FoundRun = Schemas["FoundRun"];

/** What each cluster costs; asked for again when runs come and go. */
export const overviewOptions = queryOptions({
  queryKey: [...runKeys.lists(), "overview"],
  queryFn: async ({ signal }) => (await unwrap(api.GET("/api/v1/overview", { signal }))).clusters,
  staleTime: 30_000,
});

/** What changed on each cluster; asked for again when runs come and go. */
export const latestChangesOptions = queryOptions({
  queryKey: [...runKeys.lists(), "changes"],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET("/api/v1/overview/changes", { signal }))).clusters,
  staleTime: 30_000,
});
