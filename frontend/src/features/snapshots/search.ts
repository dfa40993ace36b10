import type { Subject } from "~/queries/snapshots";

/** `/snapshots`: what is being shared, if anything; `run:<id>` or `comparison:<id>`. */
export interface SnapshotsSearch {
  share?: string;
}

const SHARE = /^(run|comparison):([0-9a-f-]{36})$/;

export function readSnapshotsSearch(search: Record<string, unknown>): SnapshotsSearch {
  const { share } = search;
  return typeof share === "string" && SHARE.test(share) ? { share } : {};
}

/** What `share` names. */
export function subjectOf(share: string | undefined): Subject | null {
  const [, kind, id] = SHARE.exec(share ?? "") ?? [];
  return id === undefined ? null : { kind: kind as Subject["kind"], id };
}
