import type { Block, Case, Trial } from "~/queries/runs";
import { endedTrials } from "./progress";

/** What a block's badge says: its status, and how many of its trials failed. */
export interface BlockOutcome {
  status: Block["status"];
  failed: number;
  trials: number;
}

/**
 * A block that a worker carried out to its end has the status `succeeded`, however its trials went.
 * One in which nothing was measured failed: all of its trials failed or are void, or all of its
 * cases failed. Null while `trials` are unknown, which decide.
 */
export function blockOutcome(
  block: Pick<Block, "status" | "round">,
  cases: readonly Pick<Case, "id" | "status">[],
  trials: readonly Trial[] | undefined,
  attempt: number,
): BlockOutcome | null {
  if (trials === undefined) {
    return block.status === "succeeded" ? null : { status: block.status, failed: 0, trials: 0 };
  }
  const ids = new Set(cases.map((one) => one.id));
  const made = trials.filter((trial) => trial.round === block.round && ids.has(trial.case_id));
  const own = endedTrials({ attempt }, made).filter((trial) => !trial.warmup);
  const failed = own.filter((trial) => trial.status === "failed").length;
  const outcome = { failed, trials: own.length };
  if (block.status !== "succeeded") return { status: block.status, ...outcome };
  if (own.length > 0) {
    return { status: failed === own.length ? "failed" : "succeeded", ...outcome };
  }
  if (made.some((trial) => trial.attempt === attempt && trial.status === "void")) {
    return { status: "failed", ...outcome };
  }
  const all = (status: Case["status"]) =>
    cases.length > 0 && cases.every((one) => one.status === status);
  const status = all("failed") ? "failed" : all("skipped") ? "skipped" : "succeeded";
  return { status, ...outcome };
}
