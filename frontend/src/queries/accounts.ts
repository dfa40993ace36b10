import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { actFor, api, unwrap } from "~/api/client";
import { ProblemError } from "~/api/problem";
import type { Schemas } from "~/api/types";

export type Me = Schemas["Me"];
export type Role = Schemas["Role"];

/** Who is logged in. Throws a ProblemError of status 401 where nobody is. */
export const meOptions = queryOptions({
  queryKey: ["me"],
  queryFn: async (): Promise<Me> => remembered(await unwrap(api.GET("/api/v1/me"))),
  staleTime: Number.POSITIVE_INFINITY,
});

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

/** Who is logged in; only inside the application's frame, where somebody is. */
export function useMe(): Me & { may: (role: Role) => boolean } {
  const { data } = useSuspenseQuery(meOptions);
  return { ...data, may: (role) => RANK[data.role] >= RANK[role] };
}

export function useLogIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas["Login"]) =>
      remembered(await unwrap(api.POST("/api/v1/auth/login", { body }))),
    onSuccess: (me) => {
      client.clear();
      client.setQueryData(meOptions.queryKey, me);
    },
  });
}

/** Between two questions who is logged in, in ms: a role may change, a login be ended. */
const AGAIN_MS = 5_000;

/** Keeps who is logged in up to date; once in the application's frame. */
export function useFollowMe(): void {
  useQuery({ ...meOptions, refetchInterval: AGAIN_MS, refetchOnWindowFocus: "always" });
}

/** The organizations that the user belongs to. */
export const ownOrganizationsOptions = queryOptions({
  queryKey: ["own-organizations"],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET("/api/v1/me/organizations", { signal }))).items,
});

/**
 * Lets the session act in another organization, whichever it acts in now. Anyone who calls it
 * leaves the page: all that it holds is of the organization before.
 */
export function useSwitch() {
  return useMutation({
    mutationFn: async (organizationId: string) => {
      actFor(null);
      remembered(await unwrap(api.GET("/api/v1/me")));
      const body = { organization_id: organizationId };
      return remembered(await unwrap(api.PUT("/api/v1/me/organization", { body })));
    },
  });
}

/** What a link offers; the link's secret is in no key, which outlives the page. */
export function useReadInvitation() {
  return useMutation({
    gcTime: 0,
    mutationFn: (token: string) => unwrap(api.POST("/api/v1/auth/invitation", { body: { token } })),
  });
}

export function useAcceptInvitation() {
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["Acceptance"]) =>
      unwrap(api.POST("/api/v1/auth/invitation/accept", { body })),
  });
}

export function useReadPasswordReset() {
  return useMutation({
    gcTime: 0,
    mutationFn: (token: string) =>
      unwrap(api.POST("/api/v1/auth/password-reset", { body: { token } })),
  });
}

export function useUsePasswordReset() {
  return useMutation({
    gcTime: 0,
    mutationFn: (body: Schemas["LinkAndPassword"]) =>
      unwrap(api.POST("/api/v1/auth/password-reset/use", { body })),
  });
}

export const logOutKey = ["log-out"];

/** `toLogin` leads to the login, and forgets what was read. */
export function useLogOut(toLogin: () => Promise<void>) {
  return useMutation({
    mutationKey: logOutKey,
    mutationFn: async () => {
      try {
        return await unwrap(api.POST("/api/v1/auth/logout"));
      } catch (error) {
        // Whose login has ended meanwhile is out.
        if (error instanceof ProblemError && error.status === 401) return { leave_url: null };
        throw error;
      }
    },
    onSuccess: async ({ leave_url }) => {
      actFor(null);
      await toLogin();
      // Who signed on leaves the provider too: else one press would let anybody in again.
      if (leave_url !== null) location.assign(leave_url);
    },
  });
}

function remembered(me: Me): Me {
  actFor(me);
  return me;
}
