import type { QueryClient } from "@tanstack/react-query";
import { logOutKey, meOptions } from "~/queries/accounts";
import { signOnOptions } from "~/queries/sign_on";
import type { makeRouter } from "./router";

type Router = Pick<ReturnType<typeof makeRouter>, "latestLocation" | "navigate">;

/**
 * Leads to the login, where the page lets one go. Nothing that was read before is kept for anyone who
 * logs in; while the page before still stood, it would ask for it once more.
 */
export async function toLogin(
  router: Router,
  client: QueryClient,
  search: { next?: string; expired?: true } = {},
): Promise<void> {
  await router.navigate({ to: "/login", search });
  if (router.latestLocation.pathname !== "/login") return;
  // The page that one is led to asks for this itself; what is cleared is asked for no more.
  const [kept] = signOnOptions.queryKey;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== kept });
  client.getMutationCache().clear();
}

/** The API does not know any more who asks: leads to the login, which leads back. */
export function makeAskForLogin(router: Router, client: QueryClient) {
  let going = false;
  return async (): Promise<void> => {
    const nobody = client.getQueryData(meOptions.queryKey) === undefined;
    // Anyone who logs out is led there without being asked for it.
    const leaving = client.isMutating({ mutationKey: logOutKey }) > 0;
    const { pathname, href } = router.latestLocation;
    if (going || nobody || leaving || pathname === "/login") return;
    going = true;
    try {
      await toLogin(router, client, { next: href, expired: true });
    } finally {
      going = false;
    }
  };
}
