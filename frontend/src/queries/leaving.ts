import { type MutationKey, useMutationState } from "@tanstack/react-query";

/**
 * Whether what the page is about is being deleted by it, or was. It is not asked for from then on:
 * the page would say for a moment that somebody else has deleted it.
 */
export function useLeaving<Variables>(
  mutationKey: MutationKey,
  isThis: (variables: Variables | undefined) => boolean,
): boolean {
  const leaving = useMutationState({
    filters: {
      mutationKey,
      predicate: ({ state }) =>
        (state.status === "pending" || state.status === "success") &&
        isThis(state.variables as Variables | undefined),
    },
  });
  return leaving.length > 0;
}
