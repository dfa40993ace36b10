import type { Effect } from "~/api/rows";
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
  };
}

const both = ({ baseline, contender }: Round) => [baseline, contender];

function squaresOf(values: readonly number[]): number {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  return values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
}
