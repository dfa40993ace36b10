import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** What a user meets besides the main job, on a scripted cluster: needs neither root nor the testbed. */
export default defineConfig({
  ...tests,
  testDir: "e2e/scripted",
  // There is one cluster, which some of them take for themselves or cut off.
  workers: 1,
  globalSetup: "./e2e/scripted/stack.ts",
  projects: [
    { name: "measured", testMatch: "measured.setup.ts" },
    { name: "scripted", testMatch: "*.spec.ts", dependencies: ["measured"] },
  ],
});
