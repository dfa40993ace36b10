import { execFileSync } from "node:child_process";
import { expect, logIn, type Rest, ready, stack, test } from "./fixtures";
import { Relay } from "./relay";
import { until } from "./until";

/** The grid of a run that continues is right whatever happens to the browser's connection. */
const CUT_SECONDS = 30;

// What is cut on purpose is an error of the console.
test.use({ expectedErrors: { patterns: [/net::ERR_/, /50[234] \(/] } });

interface Case {
  id: number;
  status: string;
}

/** A run of about a minute and a half, in the modes that stand. */
async function begin(rest: Rest): Promise<string> {
  const { items } = await rest.get<{ items: { id: string }[] }>("/clusters");
  const experiment = await rest.post<{ id: string }>("/experiments", {
    name: "Watched live",
    kind: "throughput",
    axes: { path: ["node-node", "pod-pod", "pod-pod-same-node"], protocol: ["tcp"], streams: [1] },
    repetition: { profile: "quick", trials: 8, seconds: 3, rounds: 1, warmup: 0 },
  });
  const run = await rest.post<{ id: string }>(`/experiments/${experiment.id}/runs`, {
    cluster_id: items[0]?.id,
  });
  return run.id;
}

/** Ends the API, which `podmeter-admin up` starts again, and waits for the new one. */
async function restartApi(): Promise<void> {
  const words = ["--parent", stack.pid, "--full", "podmeter_api"];
  const lines = execFileSync("pgrep", words, { encoding: "utf8" }).trim();
  const found = lines.split("\n").map(Number);
  for (const pid of found) process.kill(pid);
  // A process that stops still answers for a while.
  await until("the API to end", 60, async () => !found.some(isAlive));
  await until(
    "the API to be back",
    120,
    async () => (await fetch(`${stack.url}/readyz`).catch(() => null))?.ok === true,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function trialsOf(rest: Rest, run: string): Promise<number> {
  const { items } = await rest.get<{ items: unknown[] }>(`/runs/${run}/trials?limit=100`);
  return items.length;
}

test("after a reload, a network cut for 30 s and a restart of the API", async ({ page, rest }) => {
  const run = await begin(rest);
  const relay = new Relay(new URL(stack.url));
  await relay.open();
  try {
    await logIn(page, relay.url);
    await page.goto(`${relay.url}/runs/${run}`);
    await ready(page);
    const content = page.locator("[data-ready=true]");

    await until("the first trials", 120, async () => (await trialsOf(rest, run)) >= 2);
    await page.reload();
    await expect(content).toContainText("of 3 cases");

    relay.cut();
    await expect(page.getByText("Connection lost, reconnecting")).toBeVisible();
    await new Promise((later) => setTimeout(later, CUT_SECONDS * 1000));
    relay.mend();
    await expect(page.getByText("Connection lost, reconnecting")).toHaveCount(0);

    await restartApi();

    await expect(page.getByRole("button", { name: "Cancel run" })).toHaveCount(0, {
      timeout: 240_000,
    });
    await page.getByRole("tab", { name: "Cases" }).click();
    const { items } = await rest.get<{ items: Case[] }>(`/runs/${run}/cases`);
    expect(items.map(({ status }) => status)).toEqual(["succeeded", "succeeded", "succeeded"]);
    await expect(page.getByText(/8 of 8 trials/)).toHaveCount(3, { timeout: 60_000 });
  } finally {
    await relay.close();
  }
});
