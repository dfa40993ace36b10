import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { allPages, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type CiTrust = Schemas["CiTrustView"];
export type NewCiTrust = Schemas["NewCiTrust"];

const key = ["ci-trusts"] as const;

/** Whose CI jobs are let in without a stored secret; for administrators. */
export const ciTrustsOptions = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) =>
    allPages((cursor) =>
      unwrap(api.GET("/api/v1/ci-trusts", { params: { query: { limit: 200, cursor } }, signal })),
    ),
});

const based = ({ version }: CiTrust) => ({ "if-match": `"${version}"` });

/** Creates a trust, or changes the given trust unless its version has changed (412). */
export function useSaveCiTrust(of: CiTrust | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewCiTrust) =>
      of === null
        ? unwrap(api.POST("/api/v1/ci-trusts", { body }))
        : unwrap(
            api.PUT("/api/v1/ci-trusts/{trust_id}", {
              params: { path: { trust_id: of.id }, header: based(of) },
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
          params: { path: { trust_id: of.id }, header: based(of) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
