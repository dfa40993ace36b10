import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { ownOrganizationsOptions } from "./accounts";

export type LoginSession = Schemas["SessionView"];
export type OwnOrganization = Schemas["OwnOrganization"];

/** Where the user is logged in. */
export const sessionsOptions = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await unwrap(api.GET("/api/v1/me/sessions", { signal }))).items,
});

/** Ends one session, or all others. */
export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (of: LoginSession | "others") =>
      of === "others"
        ? unwrap(api.DELETE("/api/v1/me/sessions"))
        : unwrap(
            api.DELETE("/api/v1/me/sessions/{session_id}", {
              params: { path: { session_id: of.id } },
            }),
          ),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsOptions.queryKey }),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["NewPassword"]) => unwrap(api.PUT("/api/v1/me/password", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsOptions.queryKey }),
  });
}

export function useCreateOrganization() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => unwrap(api.POST("/api/v1/organizations", { body: { name } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ownOrganizationsOptions.queryKey }),
  });
}

export function useLeave() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (of: OwnOrganization) =>
      unwrap(
        api.DELETE("/api/v1/me/organizations/{organization_id}", {
          params: { path: { organization_id: of.id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ownOrganizationsOptions.queryKey }),
  });
}
