import { formatDuration, formatMinutes } from "~/quantities/format";
import type { Block, Case, RunDetail, Trial } from "~/queries/runs";

const MS = 1_000;

/** Whether a case's trials belong to a block, in one round or another. */
export function inModes(point: Case["point"], modes: Block["modes"]): boolean {
  return Object.entries(modes).every(([axis, value]) => point[axis] === value);
}

/** Whether a case is the set-up of the modes themselves: it lies on no other axis. */
export function isSetUp(point: Case["point"], modes: Block["modes"]): boolean {
  const axes = Object.keys(point);
  return axes.length > 0 && axes.every((axis) => axis in modes);
}

/** The trials that need not be made any more: void ones are, and what an earlier attempt failed at. */
export function endedTrials(
  run: Pick<RunDetail, "attempt">,
  trials: readonly Trial[],
): readonly Trial[] {
  const kept = new Set<Trial["status"]>(["counted", "warmup"]);
  return trials.filter((trial) =>
    trial.attempt === run.attempt ? trial.status !== "void" : kept.has(trial.status),
  );
}

/**
 * Seconds until all is measured, about, as the server computes it: the current block is counted down
 * by the clock. Null where there is nothing to wait for any more, or nothing that says how long.
 */
export function timeLeft(run: Pick<RunDetail, "time_left">, now: number): number | null {
  if (!run.time_left) return null;
  const { block_until, seconds_after } = run.time_left;
  const current = block_until === null ? 0 : (Date.parse(block_until) - now) / MS;
  return Math.max(0, current) + seconds_after;
}

/** A time that is only estimated, in steps that are worth reading: "20 s", "3 min", "1 h 05 min". */
export function roughly(seconds: number): string {
  if (seconds <= 50) return formatDuration(Math.ceil(seconds / 10) * 10);
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? formatMinutes(minutes) : formatDuration(minutes * 60);
}
