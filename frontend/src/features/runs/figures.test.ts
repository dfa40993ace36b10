import { expect, it } from "vitest";
import type { Trial } from "~/queries/runs";
import { caseFigures } from "./figures";

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
