import type { Page, Request } from "@playwright/test";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { holdBy } from "./cluster";

/** What somebody else removes is gone from the pages that show it, by themselves. */
test.use({ expectedErrors: { patterns: [/404 \(Not Found\)/] } });
/** How soon, by the page's own clock: what a busy machine takes for it does not count. */
const SOON_MS = 5_000;
/** By how much that clock jumps when it stops: it continues until then, on a busy machine too. */
const JUMP_MS = 30_000;
const SINCE = new Date("2026-01-02T03:04:05Z");

test.afterAll(() => holdBy(null, SINCE));

async function remove(page: Page, path: string, version?: number): Promise<void> {
  const { csrf_token } = await (await page.request.get("/api/v1/me")).json();
  const headers: Record<string, string> = { "X-CSRF-Token": csrf_token };
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  const gone = await page.request.delete(`/api/v1${path}`, { headers });
  expect(gone.ok(), await gone.text()).toBe(true);
}

const isAt = (url: string, path: string) => new URL(url).pathname === `/api/v1${path}`;

/** What the page asked of a path and has no answer to yet. */
function unanswered(page: Page, path: string): Set<Request> {
  const open = new Set<Request>();
  page.on("request", (asked) => {
    if (isAt(asked.url(), path)) open.add(asked);
  });
  page.on("requestfinished", (asked) => open.delete(asked));
  page.on("requestfailed", (asked) => open.delete(asked));
  return open;
}

/** Lets what is at a path be removed, and the page ask for it again by itself. */
async function soonAskedFor(
  page: Page,
  path: string,
  open: Set<Request>,
  version?: number,
): Promise<void> {
  const shown = await page.evaluate(() => Date.now());
  await page.clock.pauseAt(shown + JUMP_MS);
  // The page does not ask twice at a time: what it asked before would delay what it asks next.
  await expect.poll(() => open.size).toBe(0);
  const missed = page.waitForResponse((one) => isAt(one.url(), path) && one.status() === 404);
  await remove(page, path, version);
  await page.clock.runFor(SOON_MS);
  await missed;
  await page.clock.resume();
}

async function cancelled(rest: Rest): Promise<string> {
  const first = async (path: string) =>
    (await rest.get<{ items: { id: string }[] }>(path)).items[0]?.id;
  await holdBy("77f00000abcd/9", SINCE);
  const run = await rest.post<{ id: string }>(`/experiments/${await first("/experiments")}/runs`, {
    cluster_id: await first("/clusters"),
  });
  await rest.post(`/runs/${run.id}/cancel`);
  await expect
    .poll(async () => (await rest.get(`/runs/${run.id}`)).state, { timeout: 60_000 })
    .toBe("finished");
  return run.id;
}

test("a run that somebody else removes", async ({ page, rest }) => {
  const run = await cancelled(rest);
  await logIn(page);
  await page.clock.install();
  const open = unanswered(page, `/runs/${run}`);
  await page.goto(`/runs/${run}`);
  await ready(page);
  await expect(page.getByText("Cancelled", { exact: true }).first()).toBeVisible();
  await soonAskedFor(page, `/runs/${run}`, open);
  await expect(page.getByRole("heading", { name: "No such run" })).toBeVisible();
});

test("a cluster that somebody else removes", async ({ page, rest }) => {
  const cluster = await rest.post<{ id: string; version: number }>("/clusters", {
    name: "soon gone",
    kubeconfig: process.env.E2E_KUBECONFIG,
  });
  await logIn(page);
  await page.clock.install();
  const open = unanswered(page, `/clusters/${cluster.id}`);
  await page.goto(`/clusters/${cluster.id}`);
  await ready(page);
  await expect(page.getByRole("heading", { name: "soon gone" })).toBeVisible();
  const { version } = await rest.get<{ version: number }>(`/clusters/${cluster.id}`);
  await soonAskedFor(page, `/clusters/${cluster.id}`, open, version);
  await expect(page.getByRole("heading", { name: "No such cluster" })).toBeVisible();
});
