import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type Keep = Schemas["Keep"];
export type SharedSnapshot = Schemas["SharedSnapshot"];

/** What a snapshot is of. */
export interface Subject {
  kind: "run" | "comparison";
  id: string;
}

export const snapshotKeys = {
  all: ["snapshots"] as const,
  list: () => [...snapshotKeys.all, "list"] as const,
  preview: (body: object) => [...snapshotKeys.all, "preview", body] as const,
};

/** Every snapshot of the organization, live or not. */
export const snapshotsOptions = queryOptions({
  queryKey: snapshotKeys.list(),
  queryFn: ({ signal }) =>
    allPages((cursor) =>
      unwrap(api.GET("/api/v1/snapshots", { params: { query: { limit: 100, cursor } }, signal })),
    ),
});

/** What a snapshot would show and what of it would be replaced; nothing is kept. */
export function previewOptions(subject: Subject, keep: Keep[]) {
  const body = { ...reference(subject), title: "preview", keep };
  return queryOptions({
    queryKey: snapshotKeys.preview(body),
    queryFn: ({ signal }) => unwrap(api.POST("/api/v1/snapshots/preview", { body, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useShare(subject: Subject) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (given: { title: string; keep: Keep[]; expires_in_days: number | null }) =>
      unwrap(api.POST("/api/v1/snapshots", { body: { ...reference(subject), ...given } })),
    onSuccess: () => client.invalidateQueries({ queryKey: snapshotKeys.list() }),
  });
}

export function useRevoke() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE("/api/v1/snapshots/{snapshot_id}", { params: { path: { snapshot_id: id } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: snapshotKeys.list() }),
  });
}

function reference(subject: Subject) {
  return subject.kind === "run" ? { run_id: subject.id } : { comparison_id: subject.id };
}
