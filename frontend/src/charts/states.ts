import type { PointState } from "./types";

/** The states without a value, in the order of legends. */
export const STATES = [
  "failed",
  "skipped",
  "missing",
  "unpaired",
] as const satisfies readonly PointState[];
