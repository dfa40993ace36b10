import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { kubectl, REPOSITORY, run } from "./cluster";
import { until } from "./until";

const EMAIL = "admin@localhost";
const PASSWORD = "a password for the browser tests";
export const IMAGE = "docker.io/podmeter/bench:0.1.0";

/** The testbed and a stack of its own for these tests. */
export default async function stack(): Promise<() => Promise<void>> {
  run(join(REPOSITORY, ".venv/bin/podmeter-testbed"), ["up"]);
  const { told, end } = await podmeterUp({ BENCH_IMAGE: IMAGE });
  Object.assign(process.env, told);
  return async () => {
    await end();
    kubectl(["delete", "namespace", "podmeter", "podmeter-host", "--ignore-not-found"]);
  };
}

export interface Podmeter {
  /** What tests need to know of it, and read from the environment. */
  told: Record<"E2E_URL" | "E2E_EMAIL" | "E2E_PASSWORD" | "E2E_PID" | "E2E_STATE", string>;
  end: () => Promise<void>;
}

/** A stack in a folder of its own, with `settings` in its environment. */
export async function podmeterUp(settings: Record<string, string>): Promise<Podmeter> {
  const state = mkdtempSync(join(tmpdir(), "podmeter-e2e-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = join(state, "up.log");
  const output = openSync(log, "w");
  const up = spawn(join(REPOSITORY, ".venv/bin/podmeter-admin"), ["up"], {
    cwd: state,
    stdio: ["ignore", output, output],
    env: {
      ...process.env,
      PODMETER_STATE_DIR: join(state, "state"),
      PODMETER_FRONTEND_DIR: resolve(import.meta.dirname, "../dist"),
      PODMETER_PORT: String(port),
      PODMETER_PUBLIC_URL: url,
      PODMETER_ADMIN_EMAIL: EMAIL,
      PODMETER_ADMIN_PASSWORD: PASSWORD,
      PODMETER_LOGIN_ATTEMPTS: "1000",
      // A second process of the API would only take time to start.
      PODMETER_API_PROCESSES: "1",
      ...settings,
    },
  });
  try {
    await until("the stack to be ready", 300, async () => {
      if (up.exitCode !== null) throw new Error(`the stack ended:\n${readFileSync(log, "utf8")}`);
      return (await fetch(`${url}/readyz`).catch(() => null))?.ok === true;
    });
  } catch (error) {
    await ended(up);
    throw error;
  }
  return {
    told: {
      E2E_URL: url,
      E2E_EMAIL: EMAIL,
      E2E_PASSWORD: PASSWORD,
      E2E_PID: String(up.pid),
      E2E_STATE: join(state, "state"),
    },
    end: async () => {
      await ended(up);
      rmSync(state, { recursive: true, force: true });
    },
  };
}

export async function ended(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  // A stack ends its programs one after the other, each of which may take 30 s.
  await until(
    "the stack to end",
    180,
    async () => child.exitCode !== null || child.signalCode !== null,
  );
}

/** Ports of stacks that may not listen yet. */
const given = new Set<number>();
/**
 * Below those that the kernel chooses (from 32768) and those of Services (from 30000): a stack
 * takes a while until it listens, and no connection of another process gets its port meanwhile.
 */
const PORTS = { from: 20_000, to: 30_000 };

async function freePort(): Promise<number> {
  const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
  if (given.has(port) || !(await isFree(port))) return await freePort();
  given.add(port);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((told) => {
    server.on("error", () => told(false));
    server.listen(port, "127.0.0.1", () => server.close(() => told(true)));
  });
}
