import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** `make screenshots`: runs the flow for its data, then writes every page as pictures. */
export default defineConfig({
  ...tests,
  projects: [
    { name: "flow", testMatch: "flow.spec.ts", grep: /pointer/ },
    { name: "screenshots", testMatch: "screenshots.ts", dependencies: ["flow"] },
  ],
});
