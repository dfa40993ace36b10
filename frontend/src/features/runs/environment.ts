import { type Json, record } from "~/api/untyped";

export interface FrozenCluster {
  name: string;
  fingerprint: Json;
}

/** The clusters as the latest preflight found them; [] before there was one. */
export function frozenClusters(environment: Json | null): FrozenCluster[] {
  return Object.entries(record(environment?.clusters)).map(([name, found]) => ({
    name,
    fingerprint: record(record(found).fingerprint),
  }));
}
