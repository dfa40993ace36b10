import { describe, expect, it } from "vitest";
import { byPair, byRound, cumulated, type RoundsSide } from "./rounds";

const side = (key: string, values: number[][]): RoundsSide => ({
  key,
  label: key,
  hue: 0,
  shade: 0,
  values,
});

describe("rounds", () => {
  it("are the medians of their trials, and a gap where there are none", () => {
    const [only] = byRound([side("a", [[1, 3, 2], [], [4]])]);
    expect(only?.points.map(({ x, state, figure }) => [x, state, figure?.value])).toEqual([
      [1, "measured", 2],
      [2, "missing", undefined],
      [3, "measured", 4],
    ]);
    expect(only?.points[0]?.trials).toEqual([1, 3, 2]);
  });

  it("of a pair of nodes are its own, and a side without any there has a gap", () => {
    const groups = byPair(
      [side("fast", [[10], [40, 60], [20], [70]]), side("slow", [[1], [], [3], []])],
      ["a~b", "b~a", "a~b", "b~a"],
      (pair) => pair.toUpperCase(),
    );
    expect(groups.map(({ key, label }) => [key, label])).toEqual([
      ["a~b", "A~B"],
      ["b~a", "B~A"],
    ]);
    const bars = groups.map((group) =>
      group.bars.map(({ state, figure, trials, n }) => [state, figure?.value, trials, n]),
    );
    expect(bars).toEqual([
      [
        ["measured", 15, [10, 20], 2],
        ["measured", 2, [1, 3], 2],
      ],
      [
        ["measured", 60, [50, 70], 2],
        ["missing", undefined, undefined, 0],
      ],
    ]);
  });

  it("cumulate from none at the least value of all to all at the greatest", () => {
    const [fast, slow] = cumulated(
      [side("fast", [[20], [40], [40], []]), side("slow", [[10], [30]])],
      10,
    );
    const steps = (curve: typeof fast) => curve?.points.map(({ x, figure }) => [x, figure?.value]);
    expect(steps(fast)).toEqual([
      [1, 0],
      [2, 1 / 3],
      [4, 1],
    ]);
    expect(steps(slow)).toEqual([
      [1, 0.5],
      [3, 1],
      [4, 1],
    ]);
  });
});
