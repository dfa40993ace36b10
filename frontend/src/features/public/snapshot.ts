import type { Schemas } from "~/api/types";

export type PublicSnapshot = Schemas["PublicSnapshot"];

/** The token in `/s/<token>`. */
export function tokenOf(path: string): string {
  return decodeURIComponent(/^\/s\/([^/]+)/.exec(path)?.[1] ?? "");
}

/** Whether it is `/s/<token>/embed`, which stands inside of another page. */
export function isEmbed(path: string): boolean {
  return /^\/s\/[^/]+\/embed\/?$/.test(path);
}

/**
 * What the link shows, in the page's language; null where it shows nothing, or the server cannot be reached. Read without
 * the client and the cache of the application: this is the one thing that a public page asks for.
 */
export async function readSnapshot(token: string): Promise<PublicSnapshot | null> {
  try {
    const headers = { "Accept-Language": document.documentElement.lang };
    const answer = await fetch(addressOf(token), { headers });
    return answer.ok ? ((await answer.json()) as PublicSnapshot) : null;
  } catch {
    return null;
  }
}

export const FORMATS = ["json", "csv", "markdown"] as const;

export function downloadHref(token: string, format: (typeof FORMATS)[number]): string {
  return `${addressOf(token)}/export?format=${format}`;
}

function addressOf(token: string): string {
  return `/api/v1/public/snapshots/${encodeURIComponent(token)}`;
}
