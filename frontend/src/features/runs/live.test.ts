import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Part } from "~/queries/runs";
import { type LiveStatus, LiveStream } from "./live";

/** An EventSource whose server is the test. */
class FakeSource extends EventTarget {
  static all: FakeSource[] = [];
  readyState = 0;

  constructor() {
    super();
    FakeSource.all.push(this);
  }

  static get last(): FakeSource {
    const last = FakeSource.all.at(-1);
    if (!last) throw new Error("no stream was opened");
    return last;
  }

  accept(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  send(type: string, id: number): void {
    this.dispatchEvent(new MessageEvent(type, { lastEventId: String(id), data: "{}" }));
  }

  /** The connection broke: the browser itself tries again. */
  breakOff(): void {
    this.readyState = 0;
    this.dispatchEvent(new Event("error"));
  }

  /** The server answered with an error: the browser gives up for good. */
  refuse(): void {
    this.readyState = 2;
    this.dispatchEvent(new Event("error"));
  }

  close(): void {
    this.readyState = 2;
  }
}

function watched() {
  const statuses: LiveStatus[] = [];
  const touched: Part[] = [];
  const server = { reached: true };
  const readAll = vi.fn(async () => server.reached);
  const stream = new LiveStream({
    open: () => new FakeSource() as unknown as EventSource,
    onStatus: (status) => statuses.push(status),
    onTouched: (part) => touched.push(part),
    readAll,
  });
  stream.start();
  return { stream, statuses, touched, server, readAll };
}

let hidden = false;
beforeEach(() => {
  vi.useFakeTimers();
  FakeSource.all = [];
  hidden = false;
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() =>
    hidden ? "hidden" : "visible",
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("LiveStream", () => {
  it("reads everything when it opens, then what events touch", () => {
    const { stream, statuses, touched, readAll } = watched();
    FakeSource.last.accept();
    expect(statuses).toEqual(["open"]);
    expect(readAll).toHaveBeenCalledTimes(1);
    FakeSource.last.send("trial", 1);
    FakeSource.last.send("log", 2);
    expect(touched).toEqual(["trials", "report", "log"]);
    stream.stop();
  });

  it("leaves a broken connection to the browser and reads everything when it is back", () => {
    const { stream, statuses, readAll } = watched();
    FakeSource.last.accept();
    FakeSource.last.breakOff();
    expect(statuses).toEqual(["open", "lost"]);
    FakeSource.last.accept();
    expect(FakeSource.all).toHaveLength(1);
    expect(statuses).toEqual(["open", "lost", "open"]);
    expect(readAll).toHaveBeenCalledTimes(2);
    stream.stop();
  });

  it("opens anew after error answers, at growing pauses of at most five seconds", () => {
    const { stream, statuses } = watched();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      const opened = FakeSource.all.length;
      FakeSource.last.refuse();
      let waited = 0;
      while (FakeSource.all.length === opened) {
        vi.advanceTimersByTime(100);
        waited += 100;
      }
      pauses.push(waited);
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
    expect(statuses).toEqual(["lost"]);
    FakeSource.last.accept();
    FakeSource.last.refuse();
    vi.advanceTimersByTime(500);
    expect(FakeSource.all).toHaveLength(9);
    stream.stop();
  });

  it("polls while only the stream is refused, and says when the server is away too", async () => {
    const { stream, statuses, server, readAll } = watched();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      FakeSource.last.refuse();
      await vi.advanceTimersByTimeAsync(2_000);
    }
    expect(statuses).toEqual(["lost", "polling"]);
    expect(readAll).toHaveBeenCalled();
    server.reached = false;
    FakeSource.last.refuse();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(statuses).toEqual(["lost", "polling", "lost"]);
    server.reached = true;
    FakeSource.last.accept();
    expect(statuses.at(-1)).toBe("open");
    stream.stop();
  });

  it("passes over what a stream opened anew tells again", () => {
    const { stream, touched } = watched();
    FakeSource.last.accept();
    for (const id of [1, 2, 3]) FakeSource.last.send("log", id);
    FakeSource.last.refuse();
    vi.advanceTimersByTime(500);
    FakeSource.last.accept();
    for (const id of [1, 2, 3, 4]) FakeSource.last.send("log", id);
    expect(touched).toEqual(["log", "log", "log", "log"]);
    stream.stop();
  });

  it("is lost at once when the browser is offline, and opens at once when it is online", () => {
    const { stream, statuses, readAll } = watched();
    FakeSource.last.accept();
    window.dispatchEvent(new Event("offline"));
    expect(statuses).toEqual(["open", "lost"]);
    expect(FakeSource.all[0]?.readyState).toBe(2);
    window.dispatchEvent(new Event("online"));
    expect(FakeSource.all).toHaveLength(2);
    FakeSource.last.accept();
    expect(statuses.at(-1)).toBe("open");
    expect(readAll).toHaveBeenCalledTimes(2);
    stream.stop();
  });

  it("looks again when its tab is looked at again", () => {
    const { stream, readAll } = watched();
    FakeSource.last.accept();
    hidden = true;
    document.dispatchEvent(new Event("visibilitychange"));
    expect(readAll).toHaveBeenCalledTimes(1);
    hidden = false;
    document.dispatchEvent(new Event("visibilitychange"));
    expect(readAll).toHaveBeenCalledTimes(2);
    FakeSource.last.refuse();
    document.dispatchEvent(new Event("visibilitychange"));
    expect(FakeSource.all).toHaveLength(2);
    stream.stop();
  });

  it("finds out that a silent stream is dead", async () => {
    const { stream, statuses, server, readAll } = watched();
    FakeSource.last.accept();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(readAll).toHaveBeenCalledTimes(2);
    expect(statuses).toEqual(["open"]);
    server.reached = false;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(statuses).toEqual(["open", "lost"]);
    await vi.advanceTimersByTimeAsync(500);
    expect(FakeSource.all).toHaveLength(2);
    stream.stop();
  });

  it("stops at the end, once the end was read", async () => {
    const { statuses, server } = watched();
    FakeSource.last.accept();
    await vi.advanceTimersByTimeAsync(0);
    server.reached = false;
    FakeSource.last.send("end", 0);
    await vi.advanceTimersByTimeAsync(500);
    expect(statuses).toEqual(["open", "lost"]);
    server.reached = true;
    FakeSource.last.accept();
    FakeSource.last.send("end", 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(statuses).toEqual(["open", "lost", "open", "ended"]);
    expect(FakeSource.all).toHaveLength(2);
    expect(FakeSource.last.readyState).toBe(2);
  });

  it("leaves nothing behind when it is stopped", async () => {
    const { stream, statuses, readAll } = watched();
    FakeSource.last.accept();
    FakeSource.last.refuse();
    stream.stop();
    const calls = readAll.mock.calls.length;
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSource.all).toHaveLength(1);
    expect(readAll).toHaveBeenCalledTimes(calls);
    expect(statuses).toEqual(["open", "lost"]);
  });
});
