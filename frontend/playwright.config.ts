import { defineConfig } from "@playwright/test";

/** Real Chromium, real API, worker and cluster; `e2e/stack.ts` starts what is not there. */
export default defineConfig({
  testDir: "e2e",
  // Each has its own, which it empties: tests on the testbed and scripted ones run beside each other.
  outputDir: "test-results/testbed",
  globalSetup: "./e2e/stack.ts",
  fullyParallel: false,
  workers: 2,
  // Whatever a test waits for has a deadline of its own; this one is for a test that hangs.
  timeout: 600_000,
  // Deadlines, not speeds: on a busy machine each of a page's requests may take seconds.
  expect: { timeout: 60_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // What fades in has no contrast yet.
    contextOptions: { reducedMotion: "reduce" },
    // A trace of all costs a third of the time: `--trace on` for a test that fails.
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  // The flow registers the cluster that the others run on. It takes one run after the other, and
  // nothing else continues while `live` restarts the API.
  projects: [
    { name: "flow", testMatch: "flow.spec.ts" },
    { name: "live", testMatch: "live.spec.ts", dependencies: ["flow"] },
    { name: "steps", testMatch: "steps.spec.ts", dependencies: ["live"] },
  ],
});
