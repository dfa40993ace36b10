import { defineConfig } from "@playwright/test";
import scripted from "./playwright.scripted";

/** `make screenshots`: every page in every look as a picture; `-g 390` or `-g dark` takes some. */
export default defineConfig({
  ...scripted,
  testDir: "e2e",
  workers: 1,
  projects: [
    { name: "empty", testMatch: "pictures/empty.setup.ts" },
    { name: "measured", testMatch: "scripted/measured.setup.ts", dependencies: ["empty"] },
    { name: "filled", testMatch: "pictures/filled.setup.ts", dependencies: ["measured"] },
    { name: "pages", testMatch: "pictures/pages.pictures.ts", dependencies: ["filled"] },
  ],
});
