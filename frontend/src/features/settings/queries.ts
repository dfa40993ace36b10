import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type Token = Schemas["Token"];
export type MintedToken = Schemas["MintedToken"];

/** Who is logged in has tokens of their own; nobody sees those of others. */
export const tokensOptions = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) =>
    allPages((cursor) =>
      unwrap(api.GET("/api/v1/tokens", { params: { query: { limit: 200, cursor } }, signal })),
    ),
});

/** Makes a token. Its secret is in this one answer, which is not kept: the page resets it. */
export function useMint() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["NewToken"]) => unwrap(api.POST("/api/v1/tokens", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensOptions.queryKey }),
  });
}

export function useRevoke() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensOptions.queryKey }),
  });
}

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
