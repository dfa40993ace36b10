import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { wholeOptions } from "./pages";

export type CiTrust = Schemas["CiTrustView"];
export type NewCiTrust = Schemas["NewCiTrust"];

const key = ["ci-trusts"] as const;

/** Whose CI jobs are let in without a stored secret; for administrators. */
export const ciTrustsOptions = wholeOptions(key, (query, signal) =>
  unwrap(api.GET("/api/v1/ci-trusts", { params: { query }, signal })),
);

/** Creates a trust, or changes the given trust unless its version has changed (412). */
export function useSaveCiTrust(of: CiTrust | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewCiTrust) =>
      of === null
        ? unwrap(api.POST("/api/v1/ci-trusts", { body }))
        : unwrap(
            api.PUT("/api/v1/ci-trusts/{trust_id}", {
              params: { path: { trust_id: of.id }, header: ifMatch(of.version) },
              body,
            }),
          ),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useDeleteCiTrust() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (of: CiTrust) =>
      unwrap(
        api.DELETE("/api/v1/ci-trusts/{trust_id}", {
          params: { path: { trust_id: of.id }, header: ifMatch(of.version) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
