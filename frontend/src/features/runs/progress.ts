import { formatDuration, formatMinutes } from "~/quantities/format";
import type { Block, Case, RunPlan as Plan, RunDetail, Trial } from "~/queries/runs";

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
 * Seconds until all is measured, about: the trials that are left at the pace of those that ended,
 * and for each block to come what earlier ones took besides. The plan says it until there are
 * any. Null where there is nothing to wait for any more, or nothing that says how long.
 */
export function timeLeft(
  run: Pick<RunDetail, "state" | "attempt" | "cancel_requested_at" | "blocks">,
  plan: Plan,
  cases: readonly Case[],
  trials: readonly Trial[],
  now: number,
): number | null {
  if (run.cancel_requested_at !== null) return null;
  if (run.state === "cleaning" || run.state === "finished") return null;
  const own = trials.filter((trial) => trial.attempt === run.attempt);
  const done = endedTrials(run, trials);
  const points = new Map(cases.map((one) => [one.id, one.point]));
  const planned = plan.measuring_seconds;
  // What setting up takes is among what blocks take besides.
  const modes = run.blocks[0]?.modes ?? {};
  const timed = own.filter((trial) => !isSetUp(points.get(trial.case_id) ?? {}, modes));
  const pace = mean(timed.map(wallSeconds)) ?? (planned && planned / Math.max(1, plan.trials));
  if (pace === null) return null;
  const extra =
    mean(run.blocks.filter((block) => block.ended_at !== null).map(otherSeconds)) ??
    plan.switching_seconds / Math.max(1, plan.blocks.length);

  let seconds = 0;
  for (const block of run.blocks) {
    if (block.status !== "pending" && block.status !== "running") continue;
    const all = plan.blocks.find((one) => one.position === block.position)?.trials ?? 0;
    const ended = done.filter(
      (trial) =>
        trial.round === block.round && inModes(points.get(trial.case_id) ?? {}, block.modes),
    ).length;
    const left = Math.max(0, all - ended);
    seconds += left * pace;
    if (left > 0 && (block.status === "pending" || ended === 0)) seconds += extra;
  }
  const last = own.at(-1);
  const since = last ? Math.max(0, (now - Date.parse(last.stored_at)) / MS) : 0;
  const allowed = timeAllowed(run, plan, now);
  // Six to eight rounds are measured, however long they take: how long is not known then.
  if (allowed <= 0) return null;
  return Math.max(0, Math.min(seconds - Math.min(since, pace), allowed));
}

/** Seconds for which a run that ends once it is decided may still measure. */
function timeAllowed(run: Pick<RunDetail, "blocks">, plan: Plan, now: number): number {
  const minutes = plan.repetition.until_decided?.most_minutes;
  if (minutes == null) return Number.POSITIVE_INFINITY;
  const begun = run.blocks.flatMap(({ started_at }) =>
    started_at ? [Date.parse(started_at)] : [],
  );
  const passed = begun.length > 0 ? (now - Math.min(...begun)) / MS : 0;
  return 60 * minutes - passed;
}

/** A time that is only estimated, in steps that are worth reading: "20 s", "3 min", "1 h 05 min". */
export function roughly(seconds: number): string {
  if (seconds <= 50) return formatDuration(Math.ceil(seconds / 10) * 10);
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? formatMinutes(minutes) : formatDuration(minutes * 60);
}

/**
 * What a trial took in all. Its overhead, known only after it was stored, is without what the
 * cluster was waited for.
 */
function wallSeconds(trial: Trial): number {
  return Math.max(trial.seconds, trial.tool_seconds + (trial.overhead_seconds ?? 0));
}

function otherSeconds(block: Block): number {
  const { switching_seconds, preparing_seconds, cleaning_seconds } = block;
  return (switching_seconds ?? 0) + (preparing_seconds ?? 0) + (cleaning_seconds ?? 0);
}

function mean(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null;
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
