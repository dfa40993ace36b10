import { plain } from "~/api/untyped";
import type { Case } from "~/queries/runs";

/** Where the ends of some cases sat; `client` null is outside the cluster. */
export interface PlacedCases {
  client: string | null;
  server: string;
  count: number;
}

export function placements(cases: readonly Case[]): PlacedCases[] {
  const found = new Map<string, PlacedCases>();
  for (const { placement } of cases) {
    if (placement === null) continue;
    const client = plain(placement.client_node);
    const server = plain(placement.server_node) ?? "";
    const key = JSON.stringify([client, server]);
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { client, server, count });
  }
  return [...found.values()];
}
