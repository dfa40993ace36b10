import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** A stack that runs already, such as docker-compose.yml's: E2E_URL, E2E_EMAIL, E2E_PASSWORD. */
export default defineConfig({
  ...tests,
  globalSetup: undefined,
  projects: [
    { name: "overview", testMatch: "overview.ts" },
    { name: "permalink", testMatch: "permalink.ts" },
    { name: "flow", testMatch: "flow.spec.ts", grep: /pointer/ },
  ],
});
