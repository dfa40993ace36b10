import type { Schemas } from "~/api/types";

/** For tests: what the API said in words that have no code. */
export function textMessage(text: string): Schemas["Message"] {
  return { code: "text", params: { text }, text };
}
