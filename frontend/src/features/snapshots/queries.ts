import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import type { Subject } from "./search";

export type Keep = Schemas["Keep"];
export type SharedSnapshot = Schemas["SharedSnapshot"];

const keys = { all: ["snapshots"], preview: (body: unknown) => ["snapshots", "preview", body] };

/** Every snapshot of the organization, live or not. */
export const snapshotsOptions = queryOptions({
  queryKey: keys.all,
  queryFn: () =>
    allPages((cursor) =>
      unwrap(api.GET("/api/v1/snapshots", { params: { query: { limit: 100, cursor } } })),
    ),
});

/** What a snapshot would show and what of it would be replaced; nothing is kept. */
export function previewOptions(subject: Subject, keep: Keep[]) {
  const body = { ...reference(subject), title: "preview", keep };
  return queryOptions({
    queryKey: keys.preview(body),
    queryFn: ({ signal }) => unwrap(api.POST("/api/v1/snapshots/preview", { body, signal })),
    placeholderData: keepPreviousData,
  });
}

/** The name of what is shared, as a title to begin with. */
export function subjectOptions(subject: Subject) {
  return queryOptions({
    queryKey: ["snapshots", "subject", subject],
    queryFn: async (): Promise<string> => {
      if (subject.kind === "run") {
        const path = { run_id: subject.id };
        return (await unwrap(api.GET("/api/v1/runs/{run_id}", { params: { path } }))).name;
      }
      const path = { comparison_id: subject.id };
      const found = await unwrap(
        api.GET("/api/v1/comparisons/{comparison_id}", { params: { path } }),
      );
      return [found.baseline, ...found.contenders.map((one) => one.side)]
        .map((side) => side.label)
        .join(" / ");
    },
  });
}

export function useShare(subject: Subject) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (given: { title: string; keep: Keep[]; expires_in_days: number | null }) =>
      unwrap(api.POST("/api/v1/snapshots", { body: { ...reference(subject), ...given } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all, exact: true }),
  });
}

export function useRevoke() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE("/api/v1/snapshots/{snapshot_id}", { params: { path: { snapshot_id: id } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all, exact: true }),
  });
}

function reference(subject: Subject) {
  return subject.kind === "run" ? { run_id: subject.id } : { comparison_id: subject.id };
}
