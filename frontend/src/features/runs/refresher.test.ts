import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PAUSE_MS, Refresher } from "./refresher";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Refresher", () => {
  it("reads at once, then once for all that was touched in the pause", async () => {
    const read = vi.fn(async () => undefined);
    const refresher = new Refresher(read);
    for (let event = 0; event < 10; event += 1) refresher.touch("cases");
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(PAUSE_MS.cases - 1);
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(read).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("reads again what was touched while a slow reading went on, whatever became of that", async () => {
    let fail: (error: Error) => void = () => undefined;
    const read = vi
      .fn<() => Promise<unknown>>()
      .mockImplementationOnce(() => new Promise((_, reject) => (fail = reject)))
      .mockResolvedValue(undefined);
    const refresher = new Refresher(read);
    refresher.touch("log");
    await vi.advanceTimersByTimeAsync(3_000);
    refresher.touch("log");
    expect(read).toHaveBeenCalledTimes(1);
    fail(new Error("the network is away"));
    await vi.advanceTimersByTimeAsync(PAUSE_MS.log);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("keeps parts apart", () => {
    const read = vi.fn(async () => undefined);
    const refresher = new Refresher(read);
    refresher.touch("log");
    refresher.touch("detail");
    expect(read.mock.calls).toEqual([["log"], ["detail"]]);
  });

  it("reads nothing more once stopped", async () => {
    const read = vi.fn(async () => undefined);
    const refresher = new Refresher(read);
    refresher.touch("log");
    refresher.touch("log");
    refresher.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
