import type { QueryClient } from "@tanstack/react-query";
import { meOptions } from "~/queries/accounts";
import { signOnOptions } from "~/queries/sign_on";
import type { makeRouter } from "./router";

/**
 * The API does not know any more who asks: leads to the login, which leads back. Nothing that was
 * read before is kept for whoever logs in.
 */
export function makeAskForLogin(router: ReturnType<typeof makeRouter>, client: QueryClient) {
  let going = false;
  return async (): Promise<void> => {
    const nobody = client.getQueryData(meOptions.queryKey) === undefined;
    const { pathname, href } = router.latestLocation;
    if (going || nobody || pathname === "/login") return;
    going = true;
    try {
      await router.navigate({ to: "/login", search: { next: href, expired: true } });
      if (router.latestLocation.pathname !== "/login") return;
      // The page that one is led to asks for this itself; what is cleared is asked for no more.
      const [kept] = signOnOptions.queryKey;
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== kept });
      client.getMutationCache().clear();
    } finally {
      going = false;
    }
  };
}
