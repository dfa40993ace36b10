import type { Effect } from "~/api/types";
import { middle } from "~/charts/middle";

/** What one round gave on both sides: the median of its trials. */
export interface Round {
  number: number;
  baseline: number;
  contender: number;
}

/** The rounds that have trials of both sides. */
export function roundsOf({ baseline, contender }: Effect): Round[] {
  return baseline.values.flatMap((values, index) => {
    const [one, two] = [middle(values), middle(contender.values[index] ?? [])];
    if (one === null || two === null) return [];
    return [{ number: index + 1, baseline: one, contender: two }];
  });
}

/** How far figures vary, as shares: the trials within a round, and the rounds' changes. */
export interface Spread {
  within: number;
  between: number;
  /** The mean of the rounds' changes, as logarithms. */
  change: number;
}

/** Null where there is one round, or a value that has no logarithm. */
export function spreadOf(effect: Effect): Spread | null {
  const rounds = roundsOf(effect);
  const arms = [...effect.baseline.values, ...effect.contender.values].filter(
    (values) => values.length > 1,
  );
  if (rounds.length < 2 || [...arms.flat(), ...rounds.flatMap(both)].some((one) => one <= 0)) {
    return null;
  }
  const logs = arms.map((values) => values.map(Math.log));
  const free = logs.reduce((sum, one) => sum + one.length - 1, 0);
  const squares = logs.reduce((sum, one) => sum + squaresOf(one), 0);
  const changes = rounds.map((one) => Math.log(one.contender / one.baseline));
  return {
    within: free === 0 ? 0 : Math.sqrt(squares / free),
    between: Math.sqrt(squaresOf(changes) / (changes.length - 1)),
    change: meanOf(changes),
  };
}

/** With fewer rounds nothing is decided between blocks; a run has at most so many. */
const LEAST = 6;
const MOST = 20;
/** Of the normal distribution, for a risk of 5 % and to be found four times in five. */
const REACH = 1.96 + 0.84;

/** What would make an inconclusive effect between blocks clear; null where nothing can be said. */
export type Advice =
  | { advice: "rounds"; rounds: number }
  | { advice: "least"; rounds: number }
  | { advice: "longer" | "too_small" };

export function adviceFor(effect: Effect, noise: number): Advice | null {
  if (effect.verdict !== "inconclusive" || effect.level !== "block") return null;
  if (effect.rounds < LEAST) return { advice: "least", rounds: LEAST };
  const spread = spreadOf(effect);
  if (spread === null || spread.between === 0) return null;
  const { within, between, change } = spread;
  if (Math.abs(change) <= noise) return { advice: "too_small" };
  // Student's t with few rounds takes about two more than the normal distribution says.
  const rounds = Math.ceil((REACH * between * (1 / Math.abs(change))) ** 2) + 2;
  const needed = Math.max(rounds, effect.rounds + 2);
  if (needed <= MOST) return { advice: "rounds", rounds: needed };
  const trials = Math.max(1, effect.baseline.n / effect.rounds);
  // Of the variance between rounds, what the trials' own would leave by itself.
  const own = (2 * within ** 2) / trials;
  return { advice: own > between ** 2 / 2 ? "longer" : "too_small" };
}

const both = ({ baseline, contender }: Round) => [baseline, contender];
const meanOf = (values: readonly number[]) =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
}
