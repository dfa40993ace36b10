import { readFileSync } from "node:fs";
import type { Browser, Cookie } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { addresses, inLanguage } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";

/** Every page with the data of a run: accessible, in both themes, no wider than the window. */
const ROUTER = new URL("../../src/app/router.tsx", import.meta.url);

// Each looks at all pages and changes nothing of them.
test.describe.configure({ mode: "parallel" });

test("every route of the router is looked at", async ({ rest }) => {
  const known = [...readFileSync(ROUTER, "utf8").matchAll(/path: "([^"]+)"/g)].map(
    ([, path]) => path,
  );
  expect(known.length).toBeGreaterThan(10);
  const looked = new Set(Object.keys(await addresses(rest)).map((name) => name.split(" ")[0]));
  expect(looked).toEqual(new Set(known));
});

/** What a login leaves in a browser: one for all pages that are looked at, since each takes its time. */
async function loginCookies(browser: Browser): Promise<Cookie[]> {
  const context = await browser.newContext();
  await logIn(await context.newPage());
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`no page violates an accessibility rule, ${colorScheme}`, async ({ browser, rest }) => {
    test.setTimeout(600_000);
    const cookies = await loginCookies(browser);
    for (const [name, path] of Object.entries(await addresses(rest))) {
      const context = await browser.newContext({ colorScheme });
      const page = await context.newPage();
      if (name !== "/login") await context.addCookies(cookies);
      await page.goto(path);
      await ready(page);
      await test.step(name, () => expectAccessible(page));
      await context.close();
    }
  });
}

/** Enough of a page's menus and disclosures: a chart's menu is like that of the next chart. */
const MOST_OPENED = 6;

test("no opened menu or disclosure violates an accessibility rule", async ({ inside, rest }) => {
  test.setTimeout(600_000);
  for (const [name, path] of Object.entries(await addresses(rest))) {
    if (name === "/login") continue;
    await inside.goto(path);
    await ready(inside);
    const dialog = inside.locator("[role=dialog]:visible");
    const content = (await dialog.count()) > 0 ? dialog : inside.locator("body");
    const closed = content.locator(
      'button[aria-haspopup=menu]:visible, button[aria-expanded="false"]:not([aria-haspopup]):visible',
    );
    const count = Math.min(await closed.count(), MOST_OPENED);
    for (let place = 0; place < count; place += 1) {
      // What was opened before may have taken a place of its own among these.
      const opener = closed.nth(Math.min(place, (await closed.count()) - 1));
      await opener.click({ timeout: 5_000 });
      await test.step(`${name}: ${place + 1}`, () => expectAccessible(inside));
      if ((await inside.locator("[role=menu]:visible").count()) > 0) {
        await inside.keyboard.press("Escape");
      }
    }
  }
});

for (const [width, lang] of [
  [390, "en"],
  [390, "zh"],
  [1280, "zh"],
] as const) {
  test(`no page is wider than ${width} px, ${lang}`, async ({ browser, rest }) => {
    test.setTimeout(600_000);
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const page = await context.newPage();
    const cookies = await loginCookies(browser);
    for (const [name, path] of Object.entries(await addresses(rest))) {
      if (name === "/login") continue;
      await context.addCookies(cookies);
      await page.goto(inLanguage(path, lang));
      await ready(page);
      await test.step(name, () => expectNoOverflow(page));
    }
    await context.close();
  });
}
