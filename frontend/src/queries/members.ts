import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { wholeOptions } from "./pages";

export type Member = Schemas["Member"];
export type Invitation = Schemas["InvitationView"];
export type Organization = Schemas["OrganizationView"];

export const memberKeys = {
  members: ["members"] as const,
  invitations: ["invitations"] as const,
  organization: ["organization"] as const,
};

/** Who belongs to the organization that the session acts in. */
export const membersOptions = wholeOptions(memberKeys.members, (query, signal) =>
  unwrap(api.GET("/api/v1/members", { params: { query }, signal })),
);

/** Who is invited and has not come yet; for administrators. */
export const invitationsOptions = wholeOptions(memberKeys.invitations, (query, signal) =>
  unwrap(api.GET("/api/v1/invitations", { params: { query }, signal })),
);

/** The organization, and how much of what it may have is used. */
export const organizationOptions = queryOptions({
  queryKey: memberKeys.organization,
  queryFn: ({ signal }) => unwrap(api.GET("/api/v1/organization", { signal })),
});

export function useChangeMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ of, change }: { of: Member; change: Schemas["MemberPatch"] }) =>
      unwrap(
        api.PATCH("/api/v1/members/{user_id}", {
          params: { path: { user_id: of.user_id }, header: ifMatch(of.version) },
          body: change,
        }),
      ),
    // Refused, it may be shown as it was before somebody else changed it.
    onSettled: () => client.invalidateQueries({ queryKey: memberKeys.members }),
  });
}

export function useRemoveMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (of: Member) =>
      unwrap(
        api.DELETE("/api/v1/members/{user_id}", {
          params: { path: { user_id: of.user_id }, header: ifMatch(of.version) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: memberKeys.members }),
  });
}

/** A link by which a member sets another password; in this one answer, which is not kept. */
export function useResetMember() {
  return useMutation({
    gcTime: 0,
    mutationFn: (of: Member) =>
      unwrap(
        api.POST("/api/v1/members/{user_id}/password-reset", {
          params: { path: { user_id: of.user_id } },
        }),
      ),
  });
}

/** Makes a link. It is in this one answer, which is not kept. */
export function useInvite() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["NewInvitation"]) =>
      unwrap(api.POST("/api/v1/invitations", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: memberKeys.invitations }),
  });
}

export function useTakeBack() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (of: Invitation) =>
      unwrap(
        api.DELETE("/api/v1/invitations/{invitation_id}", {
          params: { path: { invitation_id: of.id } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: memberKeys.invitations }),
  });
}

export function useRename() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ of, name }: { of: Organization; name: string }) =>
      unwrap(
        api.PATCH("/api/v1/organization", {
          params: { header: ifMatch(of.version) },
          body: { name },
        }),
      ),
    onSettled: () => client.invalidateQueries(),
  });
}
