import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, Locator, Page } from "@playwright/test";
import { expect, logIn, type Rest, ready, test } from "./fixtures";
import { largeComparison, largeTrial } from "./large";
import { fill } from "./pictures/fill";

/** Figures of the browser: written as rows to the file that BENCH_JSON names. */
interface Row {
  what: string;
  value: number;
  unit: string;
  bar?: number;
  higher_is_better: boolean;
}

const LOADS = 5;
const DIST = resolve(import.meta.dirname, "../dist");
const rows: Row[] = [];

function row(what: string, value: number, unit: string, bar?: number): void {
  rows.push({ what, value: Math.round(value * 1000) / 1000, unit, bar, higher_is_better: false });
}

test.afterAll(() => {
  const file = process.env.BENCH_JSON;
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
  for (const one of rows) {
    process.stdout.write(`${one.what}: ${one.value} ${one.unit} (bar ${one.bar ?? "none"})\n`);
  }
});

/** A mobile connection and a phone's CPU, as browsers' own audits take them. */
const SLOW = { kilobits: 1600, latency: 150, cpu: 4 };

for (const [what, find] of [
  ["run", async (rest: Rest) => ({ run_id: (await ladder(rest)).id })],
  ["comparison", async (rest: Rest) => ({ comparison_id: await modes(rest) })],
] as const) {
  test(`the public page of a ${what}`, async ({ rest, browser }) => {
    test.setTimeout(300_000);
    const { url } = await rest.post<{ url: string }>("/snapshots", {
      title: "Bench",
      ...(await find(rest)),
    });
    const page = `public page of a ${what}`;
    const quick = await loads(browser, url);
    row(`${page}, largest contentful paint`, median(quick.paints), "ms", 1000);
    row(`${page}, chart of the answer drawn`, median(quick.charts), "ms");
    row(`${page}, layout shift`, Math.max(...quick.shifts), "", 0.05);
    const sent = (path: string) => (existsSync(`${path}.br`) ? `${path}.br` : path);
    const bytes = [...quick.scripts].map((path) => statSync(sent(join(DIST, path))).size);
    row(
      `${page}, JavaScript as it is sent (brotli)`,
      bytes.reduce((a, b) => a + b, 0) / 1024,
      "KB",
      350,
    );
    const slow = await loads(browser, url, SLOW);
    const slowly = `${SLOW.kilobits / 1000} Mbit/s, ${SLOW.latency} ms, CPU ${SLOW.cpu} × slower`;
    row(`${page}, largest contentful paint, ${slowly}`, median(slow.paints), "ms", 2500);
    row(`${page}, chart of the answer drawn, ${slowly}`, median(slow.charts), "ms");
    row(`${page}, layout shift, ${slowly}`, Math.max(...slow.shifts), "", 0.05);
    const beside = `beside ${BUSY} busy processes`;
    const busily = await besideBusy(() => interaction(browser, url));
    row(`${page}, interaction, ${beside}`, busily, "ms", 200);
    const cpu = { ...SLOW, kilobits: 0, latency: 0 };
    row(
      `${page}, interaction, CPU ${SLOW.cpu} × slower`,
      await interaction(browser, url, cpu),
      "ms",
    );
    expect(readdirSync(DIST)).toContain("snapshot.html");
  });
}

/** The slowest of all that can be pressed on a page that was just opened. */
async function interaction(browser: Browser, url: string, slow?: typeof SLOW): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await ready(page);
  if (slow) await slowDown(page, slow);
  const found = await slowestInteraction(page);
  await context.close();
  return found;
}

/** As many as this project's own machines have CPUs. */
const BUSY = 2;
/** Ends with who started it, also where that was killed. */
const SPIN = "const parent = process.ppid; while (process.ppid === parent);";

/** Does something while so many processes take all of a CPU that they get. */
async function besideBusy<Found>(act: () => Promise<Found>): Promise<Found> {
  const started = Array.from({ length: BUSY }, () => spawn(process.execPath, ["-e", SPIN]));
  try {
    return await act();
  } finally {
    for (const one of started) one.kill("SIGKILL");
  }
}

/** Opens a page several times, each in a new context, so that nothing is kept from the last. */
async function loads(browser: Browser, url: string, slow?: typeof SLOW) {
  const found = {
    paints: [] as number[],
    charts: [] as number[],
    shifts: [] as number[],
    scripts: new Set<string>(),
  };
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on("response", (answer) => {
      const { pathname } = new URL(answer.url());
      if (answer.request().resourceType() === "script") found.scripts.add(pathname);
    });
    if (slow) await slowDown(page, slow);
    await page.goto(url, { waitUntil: "commit" });
    found.charts.push(await firstChart(page));
    await ready(page);
    await page.waitForLoadState("networkidle");
    found.paints.push(await largestPaint(page));
    found.shifts.push(await layoutShift(page));
    await context.close();
  }
  return found;
}

/** When the chart of the answer was drawn, in ms since the page was requested. */
async function firstChart(page: Page): Promise<number> {
  const drawn = await page.waitForFunction(
    () => document.querySelector("svg.recharts-surface") !== null && performance.now(),
    undefined,
    { timeout: 60_000 },
  );
  return Number(await drawn.jsonValue());
}

/** By Chromium's own throttling. */
async function slowDown(page: Page, { kilobits, latency, cpu }: typeof SLOW): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const throughput = kilobits === 0 ? -1 : (kilobits * 1000) / 8;
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpu });
}

/** The run of two modes over a ladder that `bench.pages` left. */
async function ladder(rest: Rest): Promise<{ id: string }> {
  const { items } = await rest.get<{ items: { id: string; kind: string }[] }>("/runs?limit=100");
  const found = items.find(({ kind }) => kind === "service_scale");
  if (found === undefined) throw new Error("bench.pages leaves such a run");
  return found;
}

async function modes(rest: Rest): Promise<string> {
  const { id } = await ladder(rest);
  const side = (mode: string) => ({ run_id: id, where: { kube_proxy_mode: mode } });
  const made = await rest.post<{ id: string }>("/comparisons", {
    baseline: side("iptables"),
    contenders: [side("nftables")],
  });
  return made.id;
}

/** Everything else that the server sends is a file of the build. */
const SERVER_ANSWERS = /^\/(api\/|readyz$)/;

/**
 * All that the browser transfers: files and the API's answers, with their headers, compressed as
 * the server sends them. `npm run sizes` counts the files alone, without headers.
 */
test("the first load of the application", async ({ browser }) => {
  for (const [what, path] of [
    ["login", "/login"],
    ["overview", "/"],
  ] as const) {
    const context = await browser.newContext();
    const page = await context.newPage();
    if (path !== "/login") await logIn(page);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const cached = new Set<string>();
    // By request: what the browser received, and of that the headers.
    const received = new Map<string, { path: string; headers: number; all: number }>();
    session.on("Network.responseReceived", ({ requestId, response }) => {
      if (response.fromDiskCache) return;
      const { pathname } = new URL(response.url);
      received.set(requestId, { path: pathname, headers: response.encodedDataLength, all: 0 });
    });
    session.on("Network.requestServedFromCache", ({ requestId }) => {
      cached.add(requestId);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const found = received.get(requestId);
      if (found) found.all = encodedDataLength;
    });
    await page.goto(path);
    await ready(page);
    await page.waitForLoadState("networkidle");
    const transferred = [...received].flatMap(([id, one]) => (cached.has(id) ? [] : [one]));
    const files = transferred.filter((one) => !SERVER_ANSWERS.test(one.path));
    const answers = transferred.length - files.length;
    const kilobytes = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0) / 1024;
    const load = `application, first load, ${what}`;
    row(load, kilobytes(transferred.map(({ all }) => all)), "KB", 500);
    row(
      `${load}, files without headers (\`npm run sizes\`)`,
      kilobytes(files.map(({ all, headers }) => all - headers)),
      "KB",
    );
    row(`${load}, requests of files`, files.length, "", 15);
    row(`${load}, requests of the API`, answers, "");
    await context.close();
  }
});

test("a comparison of 50 cases × 30 trials", async ({ page }) => {
  const comparison = largeComparison(50, 30);
  await page.route(`**/api/v1/comparisons/${comparison.id}`, (route) =>
    route.fulfill({ json: comparison }),
  );
  await logIn(page);
  await page.goto(`/compare/${comparison.id}`);
  await ready(page);
  row("comparison of 50 cases × 30 trials, pointer", await longestUnderPointer(page), "ms", 50);
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

/**
 * The longest task while a pointer moves over the largest chart of a page, as far as the window
 * shows it. Tasks of up to 50 ms count as 0: Chromium reports only longer ones.
 */
async function longestUnderPointer(page: Page): Promise<number> {
  await atRest(page);
  const chart = await largestChart(page);
  await chart.scrollIntoViewIfNeeded();
  await atRest(page);
  const box = await chart.boundingBox();
  if (box === null) throw new Error("the chart is not drawn");
  const shown = page.viewportSize() ?? { width: 0, height: 0 };
  const left = Math.max(box.x, 0);
  const top = Math.max(box.y, HEADER);
  const width = Math.min(box.x + box.width, shown.width) - left;
  const height = Math.min(box.y + box.height, shown.height) - top;
  if (width <= 0 || height <= 0) throw new Error("the window shows nothing of the chart");
  await page.evaluate(() => {
    Object.assign(window, { tasks: [] });
    new PerformanceObserver((list) => {
      const known = window as unknown as { tasks: number[] };
      known.tasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
  });
  for (let step = 0; step <= 100; step += 1) {
    const along = step / 100;
    await page.mouse.move(left + width * along, top + height * (0.1 + 0.8 * along));
  }
  await atRest(page);
  return await page.evaluate(() =>
    Math.max(0, ...(window as unknown as { tasks: number[] }).tasks),
  );
}

/** Covers what is scrolled below it, in pixels. */
const HEADER = 56;

/** By the number of elements: charts are drawn as SVG. */
async function largestChart(page: Page): Promise<Locator> {
  const charts = page.locator("svg.recharts-surface:visible");
  const sizes = await charts.evaluateAll((all) =>
    all.map((one) => one.querySelectorAll("*").length),
  );
  if (sizes.length === 0) throw new Error("the page has no chart");
  return charts.nth(sizes.indexOf(Math.max(...sizes)));
}

/** Waits until no task took more than 50 ms for half a second: the page has drawn everything. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((rested) => {
        let waiting = setTimeout(end, 500);
        const observer = new PerformanceObserver(() => {
          clearTimeout(waiting);
          waiting = setTimeout(end, 500);
        });
        observer.observe({ type: "longtask" });
        function end() {
          observer.disconnect();
          rested();
        }
      }),
  );
}

/** All that moved without being asked to, as Chromium adds it up. */
async function layoutShift(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const one of list.getEntries() as unknown as LayoutShift[]) {
        if (!one.hadRecentInput) sum += one.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
    // Kept entries are reported after the next frame.
    await new Promise((told) => requestAnimationFrame(() => setTimeout(told, 100)));
    return sum;
  });
}

interface LayoutShift {
  value: number;
  hadRecentInput: boolean;
}

test("the overview of 1,000 runs", async ({ rest, browser }) => {
  test.setTimeout(600_000);
  await fill(rest, 1000);
  const paths = {
    "GET /overview": "/overview",
    "GET /noise-floor": `/clusters/${await measuredMost(rest)}/noise-floor`,
  };
  for (const [name, path] of Object.entries(paths)) {
    const took: number[] = [];
    for (let number = 0; number < LOADS; number += 1) {
      const begun = performance.now();
      await rest.get(path);
      took.push(performance.now() - begun);
    }
    row(`overview of 1,000 runs, ${name}`, median(took), "ms");
  }
  const paints: number[] = [];
  const shifts: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext();
    const opened = await context.newPage();
    await logIn(opened);
    await opened.goto("/");
    await ready(opened);
    await opened.waitForLoadState("networkidle");
    paints.push(await largestPaint(opened));
    shifts.push(await layoutShift(opened));
    await context.close();
  }
  row("overview of 1,000 runs, largest contentful paint", median(paints), "ms");
  row("overview of 1,000 runs, layout shift", Math.max(...shifts), "", 0.05);
});

/** The cluster of the many runs: it has had no preflight. */
async function measuredMost(rest: Rest): Promise<string> {
  const { items } = await rest.get<{ items: { id: string; name: string }[] }>("/clusters");
  const found = items.find(({ name }) => name === "bench");
  if (found === undefined) throw new Error("bench.pages leaves such a cluster");
  return found.id;
}

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
 * time until the next paint. Says which, so that it can be fixed.
 */
async function slowestInteraction(page: Page): Promise<number> {
  await atRest(page);
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
  const dialog = page.locator("[role=dialog]:visible");
  const inDialog = (await dialog.count()) > 0;
  const content = inDialog ? dialog.last() : page.locator("main");
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
    "button:visible, [role=tab]:visible, [role=radiogroup] label:visible, input[type=checkbox]:visible",
  );
  for (let index = 0; index < Math.min(await buttons.count(), MOST); index += 1) {
    const button = buttons.nth(index);
    const name = await button.evaluate(
      (element) => element.getAttribute("aria-label") ?? (element as HTMLElement).innerText,
    );
    if (name === "Close" || (await button.isDisabled())) continue;
    await measure(name, () => button.click({ timeout: 5_000 }));
    // What was opened covers the page: it is closed before the next button is pressed.
    if (await page.evaluate(() => document.fullscreenElement !== null)) {
      const leave = page.locator(":fullscreen").getByRole("button", { name: "Leave full screen" });
      await measure(`${name}, back`, () => leave.click({ timeout: 5_000 }));
      await page.waitForFunction(() => document.fullscreenElement === null);
    }
    const opened = page.locator(
      inDialog ? "[role=menu]:visible" : "[role=menu]:visible, [role=dialog]:visible",
    );
    if ((await opened.count()) > 0) {
      await page.keyboard.press("Escape");
      await expect(opened).toHaveCount(0);
    }
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
