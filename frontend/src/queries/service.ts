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
