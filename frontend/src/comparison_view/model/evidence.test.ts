import { describe, expect, it } from "vitest";
import { effectsOf } from "~/api/rows";
import { effect } from "../testing";
import { roundsOf, spreadOf } from "./evidence";

/** Rounds whose contender is `changes` above the baseline. */
function rounds(changes: number[], trials = [1, 1]) {
  const sides = [changes.map(() => 100), changes.map((one) => 100 * (1 + one))];
  const values = sides.map((side) => side.map((value) => trials.map((one) => value * one)));
  const [found] = effectsOf(effect(100, 110, { verdict: "undecided", values }));
  if (found === undefined) throw new Error("an effect has all of its rows");
  return found;
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
