import type { Schemas } from "~/api/types";
import { defined, matching, yes } from "~/ui/search_values";

/**
 * `/login`: where to go afterwards, whether a login that was there has expired, and whether a
 * password must be asked for although accounts use single sign-on.
 */
export interface LoginSearch {
  next?: string;
  expired?: true;
  password?: true;
}

/** An address of this application and no other's. */
const LOCAL_PATH = /^\/(?![/\\])/;

export function readLoginSearch(search: Record<string, unknown>): LoginSearch {
  return defined({
    next: matching(LOCAL_PATH, search.next),
    expired: yes(search.expired),
    password: yes(search.password),
  });
}

/** `/sign-on`: what the provider answered; null where it is no answer. */
export function readProviderAnswer(search: string): Schemas["SignOnAnswer"] | null {
  const parameters = new URLSearchParams(search);
  const state = parameters.get("state");
  if (!state) return null;
  const error = [parameters.get("error"), parameters.get("error_description")]
    .filter(Boolean)
    .join(": ");
  return {
    state,
    code: parameters.get("code"),
    error: error.slice(0, 1000) || null,
    iss: parameters.get("iss"),
  };
}
