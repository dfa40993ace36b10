import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { wholeOptions } from "./pages";

export type Token = Schemas["Token"];
export type MintedToken = Schemas["MintedToken"];

export const tokenKeys = { all: ["tokens"] as const };

/** Who is logged in has tokens of their own. */
export const tokensOptions = wholeOptions([...tokenKeys.all, "own"], (page, signal) =>
  unwrap(api.GET("/api/v1/tokens", { params: { query: { ...page, everyones: false } }, signal })),
);

/** All of the organization's; for administrators. */
export const everybodysTokensOptions = wholeOptions(
  [...tokenKeys.all, "everybodys"],
  (page, signal) =>
    unwrap(api.GET("/api/v1/tokens", { params: { query: { ...page, everyones: true } }, signal })),
);

/** Makes a token. Its secret is in this one answer, which is not kept: the page resets it. */
export function useMint() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["NewToken"]) => unwrap(api.POST("/api/v1/tokens", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokenKeys.all }),
  });
}

export function useRevoke() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Token) =>
      unwrap(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokenKeys.all }),
  });
}
