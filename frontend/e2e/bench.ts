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
    200,
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

/** More than this of one sort do what their neighbours do. */
const MOST = 25;

/**
 * Works every list, box, tab and button of the page's content once, all by real input; the longest
 * time until the next paint. Says which, so that it can be mended.
 */
async function slowestInteraction(page: Page): Promise<number> {
  await page.evaluate(() => {
    Object.assign(window, { longest: 0 });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        const known = window as unknown as { longest: number };
        known.longest = Math.max(known.longest, duration);
      }
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
  const seen: { what: string; took: number }[] = [];
  async function measure(what: string, act: () => Promise<void>): Promise<void> {
    await page.evaluate(() => Object.assign(window, { longest: 0 }));
    await act();
    await page.evaluate(
      () => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 100))),
    );
    const took = await page.evaluate(() => (window as unknown as { longest: number }).longest);
    seen.push({ what, took });
  }
  const content = page.locator("[role=dialog]:visible").or(page.locator("main")).last();
  for (const list of await content.locator("select:visible").all()) {
    await list.focus();
    const label = await list.evaluate(
      (element) => (element as HTMLSelectElement).labels[0]?.innerText,
    );
    await measure(`list ${label}`, () => page.keyboard.press("ArrowDown"));
    await measure(`list ${label}, back`, () => page.keyboard.press("ArrowUp"));
  }
  for (const thumb of await content.locator("[role=slider]:visible").all()) {
    await thumb.focus();
    await measure("slider", () => page.keyboard.press("ArrowRight"));
    await measure("slider, back", () => page.keyboard.press("ArrowLeft"));
  }
  const buttons = content.locator(
    "button:visible, [role=tab]:visible, label:has(input[type=radio]):visible, input[type=checkbox]:visible",
  );
  for (let index = 0; index < Math.min(await buttons.count(), MOST); index += 1) {
    const button = buttons.nth(index);
    const name = await button.evaluate(
      (element) => element.getAttribute("aria-label") ?? (element as HTMLElement).innerText,
    );
    if (name === "Close" || (await button.isDisabled())) continue;
    await measure(name, () => button.click({ timeout: 5_000 }));
    if ((await page.locator("[role=menu]:visible").count()) > 0)
      await page.keyboard.press("Escape");
  }
  const worst = seen.toSorted((one, other) => other.took - one.took);
  for (const { what, took } of worst.slice(0, 3)) process.stdout.write(`  ${took} ms: ${what}\n`);
  expect(seen.length).toBeGreaterThan(3);
  return worst[0]?.took ?? 0;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
