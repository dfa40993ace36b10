/**
 * `lost` until the stream stands again; `polling` while only the stream is refused, as it is where a
 * user has too many, and the run is read every few seconds; `ended` once the run has told its last.
 */
export type LiveStatus = "connecting" | "open" | "lost" | "polling" | "ended";

/** What each type of event says to read again. */
const TOUCHED = {
  state: ["detail", "cases", "trials", "report"],
  cancel_requested: ["detail"],
  conclude_requested: ["detail"],
  block: ["detail", "cases", "trials", "trial", "report"],
  case: ["detail", "cases"],
  trial: ["trials", "report"],
  log: ["log"],
} as const satisfies Record<string, readonly Part[]>;

const BACK_OFF_MS = [500, 1_000, 2_000, 4_000, 5_000];
/** A stream may be dead without a word; after this silence the state is read all the same. */
const SILENCE_MS = 20_000;
const CLOSED = 2;

export interface LiveHooks {
  /** Opens the stream of events. */
  open: () => EventSource;
  onStatus: (status: LiveStatus) => void;
  /** Something about this part of the run is new. */
  onTouched: (part: Part) => void;
  /** Read everything again; answers whether the server was reached. */
  readAll: () => Promise<boolean>;
}

/**
 * Keeps one stream of events open for as long as the run continues. Events say what to read again,
 * nothing more, so what is shown is right however many of them were missed: everything is read
 * whenever the stream opens, stays away, ends, or has been silent for long.
 */
export class LiveStream {
  private readonly hooks: LiveHooks;
  private source: EventSource | null = null;
  private status: LiveStatus = "connecting";
  private failures = 0;
  private seen = 0;
  private over = false;
  private reopening: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(hooks: LiveHooks) {
    this.hooks = hooks;
  }

  start(): void {
    window.addEventListener("online", this.onOnline);
    window.addEventListener("offline", this.onLost);
    document.addEventListener("visibilitychange", this.onVisible);
    this.connect();
  }

  stop(): void {
    window.removeEventListener("online", this.onOnline);
    window.removeEventListener("offline", this.onLost);
    document.removeEventListener("visibilitychange", this.onVisible);
    this.over = true;
    this.disconnect();
  }

  private connect(): void {
    this.disconnect();
    const source = this.hooks.open();
    this.source = source;
    source.addEventListener("open", () => {
      this.failures = 0;
      this.report("open");
      void this.readAll();
    });
    source.addEventListener("error", () => {
      // From a broken connection the browser comes back by itself, from an error answer never.
      if (source.readyState === CLOSED) this.onLost();
      else this.report("lost");
    });
    for (const [type, parts] of Object.entries(TOUCHED)) {
      source.addEventListener(type, (event) => this.onEvent(event, parts));
    }
    source.addEventListener("end", () => void this.onEnd());
  }

  private disconnect(): void {
    clearTimeout(this.reopening);
    clearTimeout(this.silence);
    this.source?.close();
    this.source = null;
  }

  /** A stream opened again tells everything from the beginning: what is known is passed over. */
  private onEvent(event: MessageEvent, parts: readonly Part[]): void {
    this.listen();
    const id = Number(event.lastEventId);
    if (id <= this.seen) return;
    this.seen = id;
    for (const part of parts) this.hooks.onTouched(part);
  }

  /** Over only when the end was read as well: the network may fail in between. */
  private async onEnd(): Promise<void> {
    if (!(await this.readAll())) return;
    this.stop();
    this.report("ended");
  }

  private readonly onLost = (): void => {
    this.disconnect();
    // The next reading says whether the server itself is away.
    if (this.status !== "polling" || !navigator.onLine) this.report("lost");
    const pause = BACK_OFF_MS[Math.min(this.failures, BACK_OFF_MS.length - 1)];
    this.failures += 1;
    this.reopening = setTimeout(() => {
      if (this.failures > 1) void this.poll();
      this.connect();
    }, pause);
  };

  /** Where only the stream is refused, reading keeps what is shown right. */
  private async poll(): Promise<void> {
    const reached = await this.hooks.readAll();
    if (this.over) return;
    if (reached && this.status === "lost") this.report("polling");
    if (!reached && this.status === "polling") this.report("lost");
  }

  private readonly onOnline = (): void => {
    this.failures = 0;
    this.connect();
  };

  private readonly onVisible = (): void => {
    if (document.visibilityState !== "visible") return;
    if (this.status === "open") void this.readAll();
    else this.onOnline();
  };

  /** False also for an answer that came too late to matter. */
  private async readAll(): Promise<boolean> {
    this.listen();
    const source = this.source;
    const reached = await this.hooks.readAll();
    if (this.over || source !== this.source) return false;
    if (!reached) this.onLost();
    return reached;
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => void this.readAll(), SILENCE_MS);
  }

  private report(status: LiveStatus): void {
    if (status === this.status) return;
    this.status = status;
    this.hooks.onStatus(status);
  }
}

import type { Part } from "~/queries/runs";
