import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { reportOf } from "~/charts/report/example";
import { mainEffects } from "./live_intervals";

const effect = (verdict: string, main = true, ratio: number | null = 1.1): Schemas["Finding"] =>
  ({
    code: `mode_${verdict}`,
    metric: "throughput",
    point: { path: verdict },
    text: verdict,
    evidence: {
      kind: "rows",
      rows: ["ratio", "difference", "median", "median"].map((code, place) => ({
        key: { metric: "throughput", subject: "", unit: "ratio", direction: "higher", point: {} },
        value: code === "ratio" ? ratio : 1,
        low: 1,
        high: 1.2,
        n: 6,
        verdict: code === "ratio" ? verdict : null,
        code,
        parameters: { main, side: place === 2 ? "baseline" : "contender" },
      })),
    },
  }) as unknown as Schemas["Finding"];

it("shows main effects that have an interval, those that are open first", () => {
  const report = reportOf([]);
  report.findings = [
    effect("better"),
    effect("same", false),
    effect("undecided"),
    effect("worse", true, null),
  ];
  expect(mainEffects(report).map(({ point }) => point.path)).toEqual(["undecided", "better"]);
});
