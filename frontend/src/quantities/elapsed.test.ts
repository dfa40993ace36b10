import { describe, expect, it } from "vitest";
import { elapsed } from "./elapsed";

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const aRun = (changes: Partial<Parameters<typeof elapsed>[0]> = {}) => ({
  state: "running" as const,
  started_at: "2026-01-01T00:00:10Z",
  finished_at: null,
  ...changes,
});

describe("elapsed", () => {
  it("is nothing before a run began", () => {
    expect(elapsed(aRun({ state: "queued", started_at: null }), at("00:01:00"))).toBeNull();
  });

  it("goes on until the run has finished", () => {
    expect(elapsed(aRun(), at("00:01:10"))).toBe(60);
    const finished = aRun({ state: "finished", finished_at: "2026-01-01T00:00:40Z" });
    expect(elapsed(finished, at("09:00:00"))).toBe(30);
  });

  it("is nothing while another attempt waits", () => {
    expect(elapsed(aRun({ state: "queued" }), at("08:00:05"))).toBeNull();
  });

  it("is never negative where the clocks differ", () => {
    expect(elapsed(aRun(), at("00:00:00"))).toBe(0);
  });
});
