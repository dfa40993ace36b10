import { isMissing } from "~/api/problem";

/** How often what is checked is asked for, in ms: somebody else may have changed or removed it. */
export const POLL_MS = 4_000;

interface PolledQuery<Data> {
  state: { data?: Data; error: Error | null };
}

/** Every so often, unless it is known to be gone. */
export function pollUntilMissing<Data>(often: (data: Data | undefined) => number) {
  return ({ state }: PolledQuery<Data>) => !isMissing(state.error) && often(state.data);
}
