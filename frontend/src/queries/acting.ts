import { useSyncExternalStore } from "react";

/** Whether the session was switched to another organization than this page is about. */
let elsewhere = false;
const listeners = new Set<() => void>();

/** It was: nothing that the page shows or asks for can be trusted to be of one organization. */
export function markOrganizationChanged(): void {
  elsewhere = true;
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

export function useOrganizationChanged(): boolean {
  return useSyncExternalStore(subscribe, () => elsewhere);
}
