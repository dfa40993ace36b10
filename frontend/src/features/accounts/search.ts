/** `/login`: where to go afterwards, and whether a login that was there has expired. */
export interface LoginSearch {
  next?: string;
  expired?: true;
}

/** An address of this application and no other's. */
const INSIDE = /^\/(?![/\\])/;

export function readLoginSearch(search: Record<string, unknown>): LoginSearch {
  const next =
    typeof search.next === "string" && INSIDE.test(search.next) ? search.next : undefined;
  return { ...(next && { next }), ...(search.expired === true && { expired: true }) };
}
