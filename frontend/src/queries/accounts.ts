import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { api, setCsrfToken, unwrap } from "~/api/client";
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

export function useLogOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => await unwrap(api.POST("/api/v1/auth/logout")),
    onSuccess: () => {
      setCsrfToken(null);
      client.clear();
    },
  });
}

function remembered(me: Me): Me {
  setCsrfToken(me.csrf_token);
  return me;
}
