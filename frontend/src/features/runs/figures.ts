import { figureOf, holds, numberOf } from "~/api/rows";
import type { RunReport, Unit } from "~/api/types";
import { writeFigure } from "~/quantities/format";
import type { Case, RunPlan as Plan, Trial } from "~/queries/runs";

/** What a cell of the grid says of its case besides the status. */
export interface CaseFigure {
  counted: number;
  /** Of those that would have counted. */
  failed: number;
  /** Why the first of them failed. */
  failure: Trial["failure"];
  /** The median of what the case is about, null until it has one. */
  main: { metric: string; text: string } | null;
}

export interface CaseFigures {
  of: (caseId: number) => CaseFigure;
  /** Counted trials that a case is to have; null where no plan says it. */
  wanted: (one: Case) => number | null;
}

const NONE: CaseFigure = { counted: 0, failed: 0, failure: null, main: null };

export function caseFigures(
  trials: readonly Trial[] | undefined,
  report: RunReport | undefined,
  plan: Plan | undefined,
): CaseFigures {
  const found = new Map<number, CaseFigure>();
  const of = (caseId: number) => found.get(caseId) ?? NONE;
  for (const trial of trials ?? []) {
    const before = of(trial.case_id);
    const fails = trial.status === "failed" && !trial.warmup;
    found.set(trial.case_id, {
      ...before,
      counted: before.counted + (trial.status === "counted" ? 1 : 0),
      failed: before.failed + (fails ? 1 : 0),
      failure: before.failure ?? (fails ? trial.failure : null),
    });
  }
  for (const one of report?.summaries ?? []) {
    const [figure, caseId] = [figureOf(one), numberOf(one, "case_id")];
    if (!holds(one, "main") || figure === null || caseId === null) continue;
    if (of(caseId).main !== null) continue;
    const text = writeFigure(figure, one.key.unit as Unit).value;
    found.set(caseId, { ...of(caseId), main: { metric: one.key.metric, text } });
  }
  return { of, wanted: (one) => (plan ? wantedOf(one, plan) : null) };
}

/** What happens once in a round, such as the climb to a rung, cannot be tried again in it. */
function wantedOf({ once }: Case, { repetition }: Plan): number {
  return repetition.rounds * (once ? 1 : repetition.trials);
}
