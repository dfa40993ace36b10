import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { type Narrowing, pagesOptions } from "./pages";
import { parseArticleChoices } from "./reproduced";

export type Keep = Schemas["Keep"];
export type SharedSnapshot = Schemas["SharedSnapshot"];

export type SubjectName = Schemas["SnapshotContent"]["subject"];
export const SUBJECTS = [
  "run",
  "comparison",
  "experiment",
  "cluster",
  "reproduction",
] as const satisfies readonly SubjectName[];

/** What a snapshot is of; of articles beside runs the id is `askedText` of these. */
export interface Subject {
  kind: SubjectName;
  id: string;
}

export const snapshotKeys = {
  all: ["snapshots"] as const,
  lists: () => [...snapshotKeys.all, "list"] as const,
  preview: (body: object) => [...snapshotKeys.all, "preview", body] as const,
};

/** What `GET /snapshots` can narrow the list to. */
export type SnapshotsQuery = Narrowing<"/api/v1/snapshots">;

/** Snapshots page by page, live or not. */
export const snapshotPagesOptions = (asked: SnapshotsQuery) =>
  pagesOptions([...snapshotKeys.lists(), asked], (cursor, signal) =>
    unwrap(api.GET("/api/v1/snapshots", { params: { query: { ...asked, cursor } }, signal })),
  );

/** What a snapshot would show and what of it would be replaced; nothing is kept. */
export function previewOptions(subject: Subject, keep: Keep[]) {
  const body = { ...reference(subject), title: "preview", keep };
  return queryOptions({
    queryKey: snapshotKeys.preview(body),
    queryFn: ({ signal }) => unwrap(api.POST("/api/v1/snapshots/preview", { body, signal })),
    placeholderData: keepPreviousData,
  });
}

/** The shared subject, and the picture for previews of the link, in base64. */
export interface ToShare {
  title: string;
  keep: Keep[];
  expires_in_days: number | null;
}

/** Makes the link, then its picture; a link whose picture was not stored works all the same. */
export function useShare(subject: Subject, draw: (title: string) => string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (given: ToShare) => {
      const body = { ...reference(subject), ...given };
      const shared = await unwrap(api.POST("/api/v1/snapshots", { body }));
      const pictured = await storePicture(shared.id, () => draw(given.title)).catch(() => false);
      return { shared, pictured };
    },
    onSuccess: () => client.invalidateQueries({ queryKey: snapshotKeys.lists() }),
  });
}

/** Whether the picture was drawn and stored. */
async function storePicture(id: string, draw: () => string): Promise<boolean> {
  const { response } = await api.PUT("/api/v1/snapshots/{snapshot_id}/picture", {
    params: { path: { snapshot_id: id } },
    body: { png: draw() },
  });
  return response.ok;
}

/** Ends a link for everybody. */
export async function revoke(id: string): Promise<void> {
  await unwrap(
    api.DELETE("/api/v1/snapshots/{snapshot_id}", { params: { path: { snapshot_id: id } } }),
  );
}

export function useRevoke() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: revoke,
    onSuccess: () => client.invalidateQueries({ queryKey: snapshotKeys.lists() }),
  });
}

function reference({ kind, id }: Subject) {
  const named = {
    run: { run_id: id },
    comparison: { comparison_id: id },
    experiment: { experiment_id: id },
    cluster: { cluster_id: id },
    reproduction: {
      reproduction: parseArticleChoices(id).map(({ reference, runs }) => ({
        reference_id: reference,
        run_ids: runs,
      })),
    },
  };
  return named[kind];
}
