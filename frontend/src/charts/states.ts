import type { TFunction } from "i18next";
import type { LegendEntry } from "./legend";
import type { PointState } from "./types";

/** The states without a value, in the order of legends. */
const STATES = [
  "failed",
  "skipped",
  "missing",
  "unpaired",
] as const satisfies readonly PointState[];

/** A legend's entries for marks without a value. */
export function stateEntries(
  marks: readonly { state: PointState }[],
  t: TFunction<"charts">,
): LegendEntry[] {
  const states = STATES.filter((state) => marks.some((mark) => mark.state === state));
  return states.map((state) => ({ kind: "state", label: t(`state.${state}`), state }));
}
