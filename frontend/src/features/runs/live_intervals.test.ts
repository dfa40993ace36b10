import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { reportOf } from "~/charts/report/example";
import { effectsOf } from "./live_intervals";

const effect = (verdict: string, main = true, ratio: number | null = 1.1): Schemas["Finding"] =>
  ({
    code: `mode_${verdict}`,
    metric: "throughput",
    point: { path: verdict },
    text: verdict,
    evidence: {
      kind: "effect",
      main,
      verdict,
      ratio: ratio === null ? null : { value: ratio, low: 1, high: 1.2, confidence: 0.95 },
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
  expect(effectsOf(report).map(({ point }) => point.path)).toEqual(["undecided", "better"]);
});
