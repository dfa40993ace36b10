import { queryOptions } from "@tanstack/react-query";

/** The API's version, which only its own description tells. */
export const versionOptions = queryOptions({
  queryKey: ["version"],
  queryFn: async ({ signal }): Promise<string | null> => {
    const response = await fetch("/api/v1/openapi.json", { signal });
    if (!response.ok) return null;
    const version: unknown = (await response.json())?.info?.version;
    return typeof version === "string" ? version : null;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const PARTS = ["api", "runs", "upkeep", "beat"] as const;

/** A part of Podmeter that gives no sign of life, and when it gave its last one. */
export type MissingPart = {
  part: (typeof PARTS)[number];
  name: string;
  seen: string | null;
};

/** What the API says of the other parts, and of itself; it serves without them, too. */
export const missingPartsOptions = queryOptions({
  queryKey: ["missing-parts"],
  queryFn: async ({ signal }): Promise<MissingPart[]> => {
    const response = await fetch("/readyz", { signal });
    const lives: unknown = (await response.json())?.lives;
    return Array.isArray(lives) ? lives.flatMap(missing) : [];
  },
  refetchInterval: 15_000,
  retry: false,
});

function missing(life: { part: string; name: string; health: string; seen: string | null }) {
  const part = PARTS.find((known) => known === life.part);
  if (part === undefined || life.health === "ok") return [];
  return [{ part, name: life.name, seen: life.seen }];
}
