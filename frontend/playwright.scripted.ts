import { defineConfig } from "@playwright/test";
import { chooseSeed, takesAll } from "./e2e/sampling";
import tests from "./playwright.config";

chooseSeed();

/**
 * What a user meets besides the main job, on a scripted cluster: needs neither root nor the testbed.
 * Only the tests tagged @journey run, with PODMETER_TEST_ALL=1 all of them.
 * Each worker has a stack and a cluster of its own, which some take for themselves or cut off. A file
 * finds there what the set-up measured, and what files before it left there: which, is not known.
 */
export default defineConfig({
  ...tests,
  testDir: "e2e/scripted",
  outputDir: "test-results/scripted",
  globalSetup: "./e2e/scripted/stack.ts",
  projects: [
    { name: "measured", testMatch: "measured.setup.ts" },
    {
      name: "scripted",
      testMatch: "*.spec.ts",
      dependencies: ["measured"],
      grep: takesAll() ? /.*/ : /@journey/,
    },
  ],
});
