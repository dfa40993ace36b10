import { describe, expect, it } from "vitest";
import { readLabel, readRunSearch, readRunsSearch } from "./search";

const RUN = "5ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2";

describe("search parameters", () => {
  it("take a label as the API does, and nothing while one is typed", () => {
    expect(readRunsSearch({ label: "branch=main" })).toEqual({ label: "branch=main" });
    expect(readLabel(" ci=https://ci.example/a b=c ")).toBe("ci=https://ci.example/a b=c");
    for (const text of ["", "branch", "branch=", "Branch=x", "=x", 7]) {
      expect(readLabel(text)).toBeUndefined();
    }
  });

  it("keep what is well formed and drop the rest", () => {
    expect(
      readRunsSearch({ state: "running", kind: "no kind", cluster: "x", chosen: [RUN, RUN, 3] }),
    ).toEqual({ state: "running", chosen: [RUN] });
    expect(readRunSearch({ tab: "log", case: -1, trial: "7", q: 42, follow: false })).toEqual({
      tab: "log",
      q: "42",
      follow: false,
    });
  });

  it("keep the seconds that a trial's series are drawn for", () => {
    expect(readRunSearch({ trial: 7, zoom: [0.5, 2] })).toEqual({ trial: 7, zoom: [0.5, 2] });
    expect(readRunSearch({ trial: 7, zoom: [2, 0.5] })).toEqual({ trial: 7 });
    expect(readRunSearch({ trial: 7, zoom: ["0", 2] })).toEqual({ trial: 7 });
  });

  it("carry the view of the charts", () => {
    expect(readRunSearch({ tab: "results", metric: "throughput", xScale: "log" })).toEqual({
      tab: "results",
      metric: "throughput",
      xScale: "log",
    });
  });
});
