/**
 * What was typed and not saved when a login expired. It waits in the tab for anyone who comes back to
 * the same address, once.
 */
const KEY = "podmeter.draft";

interface Draft {
  at: string;
  text: string;
}

/** Where an experiment is written: its page, and what a new one starts from. */
export function draftAddress({ pathname, search }: { pathname: string; search: object }): string {
  const { template, from } = search as { template?: string; from?: string };
  return JSON.stringify([pathname, template, from]);
}

export function saveDraft(at: string, text: string): void {
  sessionStorage.setItem(KEY, JSON.stringify({ at, text } satisfies Draft));
}

/** The text put aside at this address; undefined if there is none. */
export function popDraft(at: string): string | undefined {
  const draft = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Draft | null;
  if (draft?.at !== at) return undefined;
  sessionStorage.removeItem(KEY);
  return draft.text;
}
