import { useSyncExternalStore } from "react";

/** Between two questions whether the server is back, in ms. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000] as const;
const ANSWER_MS = 5_000;

/**
 * Whether Podmeter answers. One request without an answer only raises the doubt: the server is away
 * once it does not say that it lives either, and is asked until it does.
 */
class Connection {
  private since: number | null = null;
  private asking = false;
  private readonly listeners = new Set<() => void>();
  private readonly answers: () => Promise<boolean>;

  constructor(answers: () => Promise<boolean> = lives) {
    this.answers = answers;
  }

  /** Since when it is away, in ms; null while it answers. */
  readonly awaySince = (): number | null => this.since;

  /** Calls `changed` when it goes away and when it is back. */
  readonly subscribe = (changed: () => void): (() => void) => {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  };

  /** Something was not answered. */
  readonly doubt = (): void => {
    if (!this.asking) void this.ask();
  };

  private async ask(): Promise<void> {
    this.asking = true;
    for (let tries = 0; !(await this.answers()); tries += 1) {
      this.tell(this.since ?? Date.now());
      await pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0);
    }
    this.asking = false;
    this.tell(null);
  }

  private tell(since: number | null): void {
    if (since === this.since) return;
    this.since = since;
    for (const changed of this.listeners) changed();
  }
}

/** That of the page, which is in doubt whenever the browser itself says that it is offline. */
export const connection = new Connection();
window.addEventListener("offline", connection.doubt);

/** Since when Podmeter does not answer, in ms; null while it does. */
export function useAwaySince(): number | null {
  return useSyncExternalStore(connection.subscribe, connection.awaySince);
}

async function lives(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return (await fetch("/healthz", { cache: "no-store", signal })).ok;
  } catch {
    return false;
  }
}

/** Over at once when the browser is online again. */
async function pause(milliseconds: number): Promise<void> {
  await new Promise<void>((over) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      over();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener("online", end);
  });
}
