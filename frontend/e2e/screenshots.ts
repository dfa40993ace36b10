import { join, resolve } from "node:path";
import { addresses } from "./addresses";
import { logIn, ready, test } from "./fixtures";

const FOLDER = resolve(import.meta.dirname, "../screenshots");

test("every page in both themes, both languages, wide and narrow", async ({ browser, rest }) => {
  test.setTimeout(900_000);
  const all = await addresses(rest);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      for (const lang of ["en", "zh"]) {
        const context = await browser.newContext({
          colorScheme,
          viewport: { width, height: width === 390 ? 844 : 800 },
        });
        const page = await context.newPage();
        for (const [name, path] of Object.entries(all)) {
          if (name !== "/login") await logIn(page);
          await page.goto(`${path}${path.includes("?") ? "&" : "?"}lang=${lang}`);
          await ready(page);
          const file = `${name.replaceAll(/[^a-zA-Z]+/g, "-").replace(/^-|-$/g, "") || "overview"}`;
          await page.screenshot({
            path: join(FOLDER, `${colorScheme}-${width}-${lang}`, `${file}.png`),
            fullPage: true,
          });
        }
        await context.close();
      }
    }
  }
});
