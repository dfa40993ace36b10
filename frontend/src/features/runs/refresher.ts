/** How long at least between two readings; a report is worth more work to the server. */
export const PAUSE_MS: Record<Part, number> = {
  detail: 500,
  cases: 500,
  trials: 500,
  trial: 500,
  log: 500,
  report: 5_000,
  changes: 5_000,
};

/**
 * Reads parts of a run again when they were touched: at once, then at most once a pause, and
 * never two at a time, so that a slow answer is neither cut off nor the last one.
 */
export class Refresher {
  private readonly touched = new Set<Part>();
  private readonly busy = new Set<Part>();
  private readonly read: (part: Part) => Promise<unknown>;
  private stopped = false;

  constructor(read: (part: Part) => Promise<unknown>) {
    this.read = read;
  }

  touch(part: Part): void {
    this.touched.add(part);
    if (!this.busy.has(part)) void this.work(part);
  }

  stop(): void {
    this.stopped = true;
  }

  private async work(part: Part): Promise<void> {
    this.busy.add(part);
    while (this.touched.delete(part) && !this.stopped) {
      await Promise.allSettled([this.read(part)]);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS[part]));
    }
    this.busy.delete(part);
  }
}

import type { Part } from "~/queries/runs";
