import type { Message } from "./messages";

/** For tests: what the API said in words that have no code. */
export function said(text: string): Message {
  return { code: "text", params: { text }, text };
}
