import type { RunReport, Unit } from "~/api/types";
import { writeFigure } from "~/quantities/format";
import type { RunPlan as Plan, Trial } from "~/queries/runs";
import { isSetUp } from "./progress";

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
  /** Counted trials that every case is to have; null where not all have the same number. */
  wanted: number | null;
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
    if (!one.main || one.median === null || of(one.case_id).main !== null) continue;
    const text = writeFigure(one.median, one.unit as Unit).value;
    found.set(one.case_id, { ...of(one.case_id), main: { metric: one.metric, text } });
  }
  return { of, wanted: plan ? wanted(plan) : null };
}

/** Some cases happen once in each round; the plan says how many trials there are, not whose. */
function wanted({ repetition, cases, trials, blocks }: Plan): number | null {
  const modes = blocks[0]?.modes ?? {};
  const own = cases.filter(({ point }) => !isSetUp(point, modes)).length;
  const setUps = repetition.rounds * (cases.length - own);
  const each = repetition.rounds * (repetition.trials + repetition.warmup);
  return trials === each * own + setUps ? repetition.rounds * repetition.trials : null;
}
