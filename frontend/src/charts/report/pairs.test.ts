import { describe, expect, it } from "vitest";
import { type AxisFacts, varyingAxes } from "../layout/axes";
import { matrix } from "./example";
import { isPairs, reportLayout } from "./pairs";

describe("the layout of a report", () => {
  it("is of pairs alone where there are any, and one chart for each of everything else", () => {
    const said: AxisFacts[] = [
      { name: "link", scope: "case", role: "pair" },
      { name: "place", scope: "case", role: "series" },
    ];
    const axes = varyingAxes(matrix({ link: ["a~b", "b~a"], place: ["here", "there"] }), said);
    const found = reportLayout(axes, {});
    expect(found).toEqual({ x: "link", series: [], facets: ["place"], numeric: false });
    expect(isPairs(axes, found)).toBe(true);
    // Anyone who asks for something else gets it.
    for (const other of [
      reportLayout(axes, { x: "place" }),
      reportLayout(axes, { facet: "none" }),
      reportLayout(axes, { series: ["place"] }),
    ]) {
      expect(isPairs(axes, other)).toBe(false);
    }
  });
});
