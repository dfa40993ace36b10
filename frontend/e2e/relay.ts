import { createConnection, createServer, type Socket } from "node:net";

/** A network between the browser and the API that can be cut. */
export class Relay {
  private readonly sockets = new Set<Socket>();
  private whole = true;
  private port = 0;

  private readonly server = createServer((client) => {
    if (!this.whole) {
      client.destroy();
      return;
    }
    const api = createConnection(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [client, api],
      [api, client],
    ] as const) {
      this.sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });

  constructor(private readonly target: URL) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    await new Promise<void>((listening) => this.server.listen(0, "127.0.0.1", listening));
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the relay has no port");
    this.port = address.port;
  }

  /** Ends what goes through, and lets nothing new through. */
  cut(): void {
    this.whole = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.whole = true;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((closed) => this.server.close(closed));
  }
}
