import { describe, expect, it } from "vitest";
import { endedTrials, roughly, timeLeft } from "./progress";
import { aRun, aTrial } from "./samples";

describe("timeLeft", () => {
  const left = (block_until: string | null, now: string) =>
    timeLeft({ time_left: { block_until, seconds_after: 100 } }, Date.parse(now));

  it("is what the server says, the current block counted down", () => {
    expect(left(null, "2026-01-01T00:00:00Z")).toBe(100);
    expect(left("2026-01-01T00:00:20Z", "2026-01-01T00:00:05Z")).toBe(115);
  });

  it("stays the same while a block takes longer than expected", () => {
    expect(left("2026-01-01T00:00:20Z", "2026-01-01T00:15:00Z")).toBe(100);
  });

  it("is nothing where nothing says how long", () => {
    expect(timeLeft({ time_left: null }, 0)).toBeNull();
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
