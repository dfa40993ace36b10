import { expect, it } from "vitest";
import type { Case, Trial } from "~/queries/runs";
import { blockOutcome } from "./block_outcome";

const trial = (status: Trial["status"], change: Partial<Trial> = {}) =>
  ({ case_id: 7, round: 1, attempt: 1, warmup: false, status, ...change }) as Trial;

const cases = (status: Case["status"]) => [{ id: 7, status }];
const DONE = { status: "succeeded", round: 1 } as const;

it("says that a block failed whose trials all failed", () => {
  const trials = [trial("failed"), trial("failed"), trial("counted", { round: 2 })];
  expect(blockOutcome(DONE, cases("succeeded"), trials, 1)).toEqual({
    status: "failed",
    failed: 2,
    trials: 2,
  });
});

it("counts those that failed beside others that did not", () => {
  const trials = [trial("failed"), trial("counted"), trial("failed", { warmup: true })];
  expect(blockOutcome(DONE, cases("succeeded"), trials, 1)).toEqual({
    status: "succeeded",
    failed: 1,
    trials: 2,
  });
});

it("counts no failure that a later attempt made good", () => {
  const trials = [trial("failed"), trial("counted", { attempt: 2 })];
  expect(blockOutcome(DONE, cases("succeeded"), trials, 2)).toMatchObject({ failed: 0 });
});

it("says what became of its cases where there was no trial", () => {
  expect(blockOutcome(DONE, cases("failed"), [], 1)?.status).toBe("failed");
  expect(blockOutcome(DONE, cases("skipped"), [], 1)?.status).toBe("skipped");
  expect(blockOutcome(DONE, cases("pending"), [], 1)?.status).toBe("succeeded");
});

it("says that a block failed whose trials are all void", () => {
  const trials = [trial("void"), trial("warmup", { warmup: true }), trial("failed", { round: 2 })];
  expect(blockOutcome(DONE, cases("succeeded"), trials, 1)?.status).toBe("failed");
  const replaced = [trial("void"), trial("counted")];
  expect(blockOutcome(DONE, cases("succeeded"), replaced, 1)?.status).toBe("succeeded");
  const measuredBefore = [trial("counted"), trial("void", { attempt: 2 })];
  expect(blockOutcome(DONE, cases("succeeded"), measuredBefore, 2)?.status).toBe("succeeded");
});

it("does not say how a block went while its trials are unknown", () => {
  expect(blockOutcome(DONE, cases("failed"), undefined, 1)).toBeNull();
  const running = { status: "running", round: 1 } as const;
  expect(blockOutcome(running, cases("pending"), undefined, 1)?.status).toBe("running");
});

it("keeps the status of a block that was not carried out", () => {
  const skipped = { status: "skipped", round: 1 } as const;
  expect(blockOutcome(skipped, cases("failed"), [trial("failed")], 1)?.status).toBe("skipped");
});
