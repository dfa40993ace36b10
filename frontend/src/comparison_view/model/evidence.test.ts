import { describe, expect, it } from "vitest";
import { effect } from "../testing";
import { adviceFor, roundsOf, spreadOf } from "./evidence";

/** Rounds whose contender is `changes` above the baseline. */
function rounds(changes: number[], trials = [1, 1]) {
  const arm = (values: number[]) => ({
    n: values.length * trials.length,
    median: null,
    values: values.map((value) => trials.map((one) => value * one)),
  });
  return effect(100, 110, {
    verdict: "inconclusive",
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

  it("says how many rounds would make it clear", () => {
    expect(adviceFor(rounds([0.1, 0.2]), 0.03)).toEqual({ advice: "least", rounds: 6 });
    const found = adviceFor(rounds([0.3, -0.05, 0.25, 0.0, 0.2, 0.02]), 0.03);
    expect(found?.advice).toBe("rounds");
    expect(found && "rounds" in found ? found.rounds : 0).toBeGreaterThan(6);
  });

  it("says so where no number of rounds would", () => {
    const tiny = rounds([0.2, -0.2, 0.19, -0.19, 0.02, 0.0]);
    expect(adviceFor(tiny, 0.03)).toEqual({ advice: "too_small" });
    expect(adviceFor({ ...tiny, verdict: "worse" }, 0.03)).toBeNull();
  });
});
