import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { actFor, api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

/** Whether there is single sign-on, and nothing besides. */
export const signOnOptions = queryOptions({
  queryKey: ["sign-on"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/v1/auth/sign-on", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Goes where the provider lets people sign on; the browser comes back to `/sign-on`.
 * `newAccount` sets an account aside that nobody proved to be of the person's address.
 */
export function useStartSignOn() {
  return useMutation({
    mutationFn: async ({ next, newAccount = false }: { next: string; newAccount?: boolean }) => {
      const { location: where } = await unwrap(
        api.POST("/api/v1/auth/sign-on/start", { body: { next, new_account: newAccount } }),
      );
      location.assign(where);
    },
  });
}

/** Hands over what the provider answered; the path that was asked for before. */
export function useFinishSignOn() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: async (body: Schemas["SignOnAnswer"]) => {
      // Anyone who was logged in before is nobody that this is about.
      actFor(null);
      return (await unwrap(api.POST("/api/v1/auth/sign-on/finish", { body }))).next;
    },
    onSuccess: () => client.clear(),
  });
}
