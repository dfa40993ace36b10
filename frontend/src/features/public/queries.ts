import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";

/** The token in `/s/<token>`. */
export function tokenOf(path: string): string {
  return decodeURIComponent(/^\/s\/([^/]+)/.exec(path)?.[1] ?? "");
}

export function publicSnapshotOptions(token: string) {
  return queryOptions({
    queryKey: ["public", token],
    queryFn: () =>
      unwrap(api.GET("/api/v1/public/snapshots/{token}", { params: { path: { token } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const FORMATS = ["json", "csv", "markdown"] as const;

export function downloadHref(token: string, format: (typeof FORMATS)[number]): string {
  return `/api/v1/public/snapshots/${encodeURIComponent(token)}/export?format=${format}`;
}
