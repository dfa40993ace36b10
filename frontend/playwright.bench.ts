import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** `make bench ONLY=ui`: runs the flow for its data, then measures pages; asserts no speed. */
export default defineConfig({
  ...tests,
  projects: [
    { name: "flow", testMatch: "flow.spec.ts", grep: /pointer/ },
    { name: "bench", testMatch: "bench.ts", dependencies: ["flow"] },
  ],
});
