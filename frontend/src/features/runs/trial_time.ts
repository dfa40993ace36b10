import { formatDuration, formatQuantity } from "~/quantities/format";

/** How long a trial or its tool took: short ones to the millisecond. */
export function trialTime(seconds: number): string {
  return seconds < 60 ? formatQuantity(seconds, "s") : formatDuration(seconds);
}
