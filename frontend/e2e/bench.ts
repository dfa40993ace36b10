import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "@playwright/test";
import { expect, logIn, ready, test } from "./fixtures";
import { largeComparison, largeTrial } from "./large";

/** Figures of the browser: written as rows to the file that BENCH_JSON names. */
interface Row {
  what: string;
  value: number;
  unit: string;
  bar: number;
  higher_is_better: boolean;
}

const LOADS = 5;
const DIST = resolve(import.meta.dirname, "../dist");
const rows: Row[] = [];

function row(what: string, value: number, unit: string, bar: number): void {
  rows.push({ what, value: Math.round(value * 10) / 10, unit, bar, higher_is_better: false });
}

test.afterAll(() => {
  const file = process.env.BENCH_JSON;
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
  for (const one of rows) {
    process.stdout.write(`${one.what}: ${one.value} ${one.unit} (bar ${one.bar})\n`);
  }
});

test("the public page", async ({ rest, browser }) => {
  const { items } = await rest.get<{ items: { id: string; outcome: string }[] }>("/runs?limit=100");
  const run = items.find((one) => one.outcome === "succeeded");
  const { url } = await rest.post<{ url: string }>("/snapshots", {
    run_id: run?.id,
    title: "Bench",
  });
  const paints: number[] = [];
  const scripts = new Set<string>();
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on("response", (answer) => {
      if (answer.request().resourceType() === "script") scripts.add(new URL(answer.url()).pathname);
    });
    await page.goto(url);
    await ready(page);
    paints.push(await largestPaint(page));
    await context.close();
  }
  row("public page, largest contentful paint", median(paints), "ms", 1500);
  const sent = (path: string) => (existsSync(`${path}.br`) ? `${path}.br` : path);
  const bytes = [...scripts].map((path) => statSync(sent(join(DIST, path))).size);
  row(
    "public page, JavaScript as it is sent (brotli)",
    bytes.reduce((a, b) => a + b, 0) / 1024,
    "KB",
    300,
  );
  expect(readdirSync(DIST)).toContain("snapshot.html");
});

test("a comparison of 50 cases × 30 trials", async ({ page }) => {
  const comparison = largeComparison(50, 30);
  await page.route(`**/api/v1/comparisons/${comparison.id}`, (route) =>
    route.fulfill({ json: comparison }),
  );
  await logIn(page);
  await page.goto(`/compare/${comparison.id}`);
  await ready(page);
  row("comparison of 50 cases × 30 trials, interaction", await slowestInteraction(page), "ms", 200);
});

test("a series of 100,000 points", async ({ page, rest }) => {
  const { items } = await rest.get<{ items: { id: string; outcome: string }[] }>("/runs?limit=100");
  const run = items.find((one) => one.outcome === "succeeded");
  const trials = await rest.get<{ items: { id: number }[] }>(`/runs/${run?.id}/trials`);
  const id = trials.items[0]?.id ?? 0;
  const trial = await rest.get(`/runs/${run?.id}/trials/${id}`);
  await page.route(`**/api/v1/runs/${run?.id}/trials/${id}`, (route) =>
    route.fulfill({ json: largeTrial(trial, 100_000) }),
  );
  await logIn(page);
  await page.goto(`/runs/${run?.id}?trial=${id}`);
  await ready(page);
  row("series of 100,000 points, interaction", await slowestInteraction(page), "ms", 200);
});

async function largestPaint(page: Page): Promise<number> {
  return await page.evaluate(
    () =>
      new Promise<number>((resolved) => {
        new PerformanceObserver((list) =>
          resolved(list.getEntries().at(-1)?.startTime ?? 0),
        ).observe({ type: "largest-contentful-paint", buffered: true });
      }),
  );
}

/** Clicks every button and switch in the page's content once; the longest until the next paint. */
async function slowestInteraction(page: Page): Promise<number> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { interactions: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
  const targets = page.locator("[data-interaction], main button:visible, main [role=tab]:visible");
  const count = Math.min(await targets.count(), 25);
  for (let index = 0; index < count; index += 1) {
    await targets
      .nth(index)
      .click({ timeout: 2_000 })
      .catch(() => undefined);
    await page.keyboard.press("Escape");
  }
  await page.evaluate(
    () => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 0))),
  );
  const seen = await page.evaluate(
    () => (window as unknown as { interactions: number[] }).interactions,
  );
  return Math.max(0, ...seen);
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
