import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { type Narrowing, pagesOptions } from "./pages";

export type AuditEntry = Schemas["AuditEntryView"];

/** What the log can be narrowed to, on the page and in a file. */
export type AuditQuery = Omit<Narrowing<"/api/v1/audit">, "limit">;

/** Who did what, the latest first, page by page; for administrators. */
export const auditOptions = (wanted: AuditQuery) =>
  infiniteQueryOptions({
    ...pagesOptions(["audit", wanted], (cursor, signal) =>
      unwrap(api.GET("/api/v1/audit", { params: { query: { ...wanted, cursor } }, signal })),
    ),
    // It grows with all that anybody does.
    staleTime: 0,
  });

/** Where a browser gets all that is asked for as a file. */
export function exportAddress(wanted: AuditQuery, format: Schemas["LogFormat"]): string {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return `/api/v1/audit/export?${query}`;
}
