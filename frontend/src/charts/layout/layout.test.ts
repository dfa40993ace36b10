import { describe, expect, it } from "vitest";
import type { Point } from "~/api/types";
import { matrix } from "../report/example";
import type { ChartView } from "../view";
import { type AxisFacts, factsOf, varyingAxes } from "./axes";
import { bestXScale, isGrid, layoutOf } from "./layout";

const points = matrix({
  mode: ["a", "b"],
  rung: [10, 1000, 5000],
  kind: ["fast", "slow"],
  place: ["here", "there"],
  shape: ["round", "square"],
});
const facts: AxisFacts[] = [
  { name: "mode", scope: "cluster_mode", role: "series" },
  { name: "rung", scope: "case", role: "curve" },
  { name: "kind", scope: "case", role: "apart" },
  { name: "place", scope: "case", role: "apart" },
  { name: "shape", scope: "case", role: "series" },
];
const layout = (view: ChartView = {}, said = facts, some: Point[] = points, sides = 1) =>
  layoutOf(varyingAxes(some, said), view, sides);

describe("the layout", () => {
  it("follows what the document says of its axes", () => {
    expect(layout()).toEqual({
      x: "rung",
      series: ["mode", "shape"],
      facets: ["kind", "place"],
      numeric: true,
    });
  });

  it("draws no curve along numbers that are told apart inside a chart", () => {
    const said = facts.map((one): AxisFacts => ({ ...one, role: "series" }));
    expect(layout({}, said).x).not.toBe("rung");
  });

  it("takes two numbers for a ladder where they are decades apart", () => {
    const along = (rungs: number[]) => {
      const axes = varyingAxes(matrix({ rung: rungs, place: ["here", "there"] }), [
        { name: "rung", scope: "case", role: "curve" },
        { name: "place", scope: "case", role: "series" },
      ]);
      return layoutOf(axes, {}).x;
    };
    expect(along([10, 1000])).toBe("rung");
    expect(along([1, 8])).toBe("place");
    expect(along([1, 4, 8])).toBe("rung");
  });

  it("is a grid where numbers meet one more axis whose values have an order", () => {
    const grid = (role: "series" | "ordered", shapes: string[]) => {
      const axes = varyingAxes(matrix({ rung: [10, 50], shape: shapes }), [
        { name: "rung", scope: "case", role: "curve" },
        { name: "shape", scope: "case", role },
      ]);
      return isGrid(axes, layoutOf(axes, { x: "rung" }));
    };
    expect(grid("ordered", ["round", "square"])).toBe(true);
    expect(grid("series", ["round", "square"])).toBe(false);
    expect(grid("ordered", ["round"])).toBe(false);
  });

  it("judges the axes of a document that says nothing by their values", () => {
    expect(layout({ facet: "none" }, [])).toEqual({
      x: "rung",
      series: ["mode", "kind", "place", "shape"],
      facets: [],
      numeric: true,
    });
    expect(factsOf([], "new", []).scope).toBe("cluster");
    expect(factsOf(facts, "mode", []).scope).toBe("cluster_mode");
  });

  it("splits what is not of the whole cluster where sides make curves too many", () => {
    expect(layout({}, facts, points, 2).series).toEqual(["mode", "shape"]);
    expect(layout({}, facts, points, 3).series).toEqual(["mode"]);
    expect(layout({}, facts, points, 3).facets).toEqual(["kind", "place", "shape"]);
    expect(layout({}, facts, points, 9).series).toEqual(["mode"]);
  });

  it("tells apart inside a chart what the view asks for", () => {
    expect(layout({ series: ["kind"] })).toMatchObject({
      series: ["kind"],
      facets: ["place", "mode", "shape"],
    });
  });
});

describe("bestXScale", () => {
  it("is logarithmic where rungs span decades", () => {
    expect(bestXScale([10, 1000, 5000, 30_000])).toBe("log");
    expect(bestXScale([10, 50, 200])).toBe("linear");
    expect(bestXScale([10, 100, 30_000])).toBe("log");
    expect(bestXScale([0, 1, 30_000])).toBe("linear");
    expect(bestXScale([7])).toBe("linear");
  });
});
