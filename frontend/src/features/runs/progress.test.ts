import { describe, expect, it } from "vitest";
import { endedTrials, roughly, timeLeft } from "./progress";
import { aBlock, aCase, aPlan, aRun, aTrial } from "./samples";

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);

describe("timeLeft", () => {
  const cases = [aCase(0, { path: "pod-pod" })];
  const plan = aPlan(2, 6);
  const run = (changes: object) => ({ ...aRun(), blocks: [aBlock(0), aBlock(1)], ...changes });

  it("is what the plan says before any trial", () => {
    expect(timeLeft(run({ state: "queued" }), plan, cases, [], at("00:00:00"))).toBe(
      2 * 6 * 8 + 2 * 60,
    );
  });

  it("is what a run until decided may still measure, where its rounds would take longer", () => {
    const { repetition } = plan;
    const until_decided = { difference: 0.1, most_minutes: 3 };
    const limited = { ...plan, repetition: { ...repetition, until_decided } };
    const left = (changes: object, now: string) =>
      timeLeft(run(changes), limited, cases, [], at(now));
    expect(left({ state: "queued" }, "00:00:00")).toBe(180);
    const begun = [aBlock(0, { status: "running", started_at: "2026-01-01T00:00:00Z" }), aBlock(1)];
    expect(left({ blocks: begun }, "00:01:00")).toBe(120);
    expect(left({ blocks: begun }, "00:03:10")).toBeNull();
  });

  it("follows the pace and the blocks so far", () => {
    const ended = aBlock(0, {
      status: "succeeded",
      ended_at: "2026-01-01T00:02:00Z",
      preparing_seconds: 7,
      cleaning_seconds: 3,
    });
    // Six trials of 12 s each are to come, in a block that takes 10 s besides.
    const trials = [1, 2, 3, 4, 5, 6].map((id) => aTrial(id));
    const now = Date.parse("2026-01-01T00:00:12Z");
    const second = {
      ...plan,
      blocks: plan.blocks.map((one, index) => ({ ...one, round: index + 1 })),
    };
    const going = run({ blocks: [ended, aBlock(1, { round: 2 })] });
    expect(timeLeft(going, second, cases, trials, now)).toBe(6 * 12 + 10);
    expect(timeLeft(going, second, cases, trials, now + 5_000)).toBe(6 * 12 + 10 - 5);
  });

  it("counts the way to a rung to the pace, which is no part of the overhead", () => {
    const going = run({ blocks: [aBlock(0, { status: "running" }), aBlock(1)] });
    const left = (trial: object) =>
      timeLeft(going, aPlan(1, 2), cases, [aTrial(1, trial)], at("00:00:12"));
    expect(left({ seconds: 100 })).toBe((left({}) ?? 0) + 100 - 12);
  });

  it("counts a trial for the block of its round and modes only", () => {
    const both = [
      aCase(0, { path: "pod-pod", kube_proxy_mode: "ipvs" }),
      aCase(1, { path: "pod-pod", kube_proxy_mode: "nftables" }),
    ];
    const going = run({
      blocks: [
        aBlock(0, { status: "running", modes: { kube_proxy_mode: "ipvs" } }),
        aBlock(1, { modes: { kube_proxy_mode: "nftables" } }),
      ],
    });
    const one = timeLeft(going, plan, both, [aTrial(1)], at("00:00:12"));
    const two = timeLeft(going, plan, both, [aTrial(1), aTrial(2)], at("00:00:12"));
    expect((one ?? 0) - (two ?? 0)).toBe(12);
  });

  it("does not count void trials, nor what an earlier attempt failed at", () => {
    const going = run({ attempt: 2, blocks: [aBlock(0, { status: "running" })] });
    const kept = aTrial(1, { attempt: 1 });
    const redone = [
      aTrial(2, { attempt: 1, status: "failed" }),
      aTrial(3, { attempt: 1, status: "void" }),
    ];
    const now = at("00:00:12");
    expect(timeLeft(going, plan, cases, [kept, ...redone], now)).toBe(
      timeLeft(going, plan, cases, [kept], now),
    );
  });

  it("is nothing once the run stops or cleans up", () => {
    const stopped = run({ cancel_requested_at: "2026-01-01T00:00:20Z" });
    expect(timeLeft(stopped, plan, cases, [], 0)).toBeNull();
    expect(timeLeft(run({ state: "cleaning" }), plan, cases, [], 0)).toBeNull();
    expect(timeLeft(run({ state: "finished" }), plan, cases, [], 0)).toBeNull();
  });
});

describe("roughly", () => {
  it("never promises less than is left", () => {
    expect([1, 41, 55, 61, 3_541, 3_601].map(roughly)).toEqual([
      "10\u202fs",
      "50\u202fs",
      "1\u202fmin",
      "2\u202fmin",
      "1\u202fh 00\u202fmin",
      "1\u202fh 01\u202fmin",
    ]);
  });
});

describe("endedTrials", () => {
  it("leaves out what is made anew", () => {
    const trials = [
      aTrial(1, { attempt: 1 }),
      aTrial(2, { attempt: 1, status: "failed" }),
      aTrial(3, { attempt: 2, status: "failed" }),
      aTrial(4, { attempt: 2, status: "void" }),
      aTrial(5, { attempt: 2, status: "warmup" }),
    ];
    const ids = endedTrials(aRun({ attempt: 2 }), trials).map(({ id }) => id);
    expect(ids).toEqual([1, 3, 5]);
  });
});
