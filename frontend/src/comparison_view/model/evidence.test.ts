import { describe, expect, it } from "vitest";
import { effect } from "../testing";
import { roundsOf, spreadOf } from "./evidence";

/** Rounds whose contender is `changes` above the baseline. */
function rounds(changes: number[], trials = [1, 1]) {
  const arm = (values: number[]) => ({
    n: values.length * trials.length,
    median: null,
    values: values.map((value) => trials.map((one) => value * one)),
  });
  return effect(100, 110, {
    verdict: "undecided",
    reason: "interval_too_wide",
    level: "block",
    rounds: changes.length,
    baseline: arm(changes.map(() => 100)),
    contender: arm(changes.map((one) => 100 * (1 + one))),
  });
}

describe("the evidence of an effect between blocks", () => {
  it("has a pair for each round that both sides have", () => {
    const found = rounds([0.1, 0.2]);
    found.contender.values[0] = [];
    expect(roundsOf(found)).toEqual([{ number: 2, baseline: 100, contender: 120 }]);
  });

  it("tells the spread within rounds from that between them", () => {
    const steady = spreadOf(rounds([0.1, 0.1, 0.1], [0.95, 1.05]));
    expect(steady?.between).toBeCloseTo(0, 9);
    expect(steady?.within).toBeCloseTo(0.0708, 3);
    expect(spreadOf(rounds([0.1]))).toBeNull();
  });
});
