import { expect, it } from "vitest";
import type { RunPlan, Trial } from "~/queries/runs";
import { caseFigures } from "./figures";
import { aCase } from "./samples";

const trial = (number: number, change: Partial<Trial>) =>
  ({ id: number, case_id: 7, number, status: "counted", warmup: false, ...change }) as Trial;

it("counts no warm-up among the trials that failed, as it counts none among those that did not", () => {
  const trials = [
    trial(1, { warmup: true, status: "failed" }),
    trial(1, { status: "failed" }),
    trial(2, { status: "failed" }),
    trial(3, {}),
  ];
  expect(caseFigures(trials, undefined, undefined).of(7)).toMatchObject({ counted: 1, failed: 2 });
});

it("tells why the first trial failed that would have counted", () => {
  const failure = (code: string) => ({
    code,
    message: { code, params: {}, text: code },
    temporary: false,
  });
  const trials = [
    trial(1, { warmup: true, status: "failed", failure: failure("warming") }),
    trial(1, { status: "failed", failure: failure("away") }),
    trial(2, { status: "failed", failure: failure("later") }),
  ];
  expect(caseFigures(trials, undefined, undefined).of(7).failure?.code).toBe("away");
});

it("expects of what happens once in a round a trial in each", () => {
  const repetition = { rounds: 6, trials: 2, warmup: 1 };
  const { wanted } = caseFigures([], undefined, { repetition } as RunPlan);
  expect(wanted(aCase(0, { probe: "qps" }))).toBe(12);
  expect(wanted(aCase(1, { probe: "climb" }, { once: true }))).toBe(6);
  expect(caseFigures([], undefined, undefined).wanted(aCase(0, {}))).toBeNull();
});
