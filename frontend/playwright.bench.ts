import { defineConfig } from "@playwright/test";
import scripted from "./playwright.scripted";

/** `make bench ONLY=ui`: fills a stack with runs, then measures pages; asserts no speed. */
export default defineConfig({
  ...scripted,
  testDir: "e2e",
  workers: 1,
  projects: [
    { name: "measured", testMatch: "scripted/measured.setup.ts" },
    { name: "filled", testMatch: "pictures/filled.setup.ts", dependencies: ["measured"] },
    { name: "bench", testMatch: "bench.ts", dependencies: ["filled"] },
  ],
});
