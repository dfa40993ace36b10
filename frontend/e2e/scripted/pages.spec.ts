import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { addresses, inLanguage } from "../addresses";
import { expect, type Rest, ready, test } from "../fixtures";
import { sampled } from "../sampling";

/**
 * Every page with the data of a run: accessible, in both themes, no wider than the window. In
 * `make test` each of these looks at a few pages that the seed chooses.
 */
const SAMPLE = 5;
const ROUTER = new URL("../../src/app/router.tsx", import.meta.url);

// Each looks at all pages and changes nothing of them.
test.describe.configure({ mode: "parallel" });

test("every route of the router is looked at", { tag: "@journey" }, async ({ rest }) => {
  const known = [...readFileSync(ROUTER, "utf8").matchAll(/path: "([^"]+)"/g)].map(
    ([, path]) => path,
  );
  expect(known.length).toBeGreaterThan(10);
  const looked = new Set(Object.keys(await addresses(rest)).map((name) => name.split(" ")[0]));
  expect(looked).toEqual(new Set(known));
});

/** The login's page and one that ends there; who is logged in is led away from it. */
const OUTSIDE = ["/login", "/sign-on"];

/** Looks at one page after the other in the same window: what the browser keeps makes the next quick. */
async function forEachPage(
  page: Page,
  rest: Rest,
  look: (name: string) => Promise<void>,
  lang?: string,
): Promise<void> {
  const all = Object.entries(await addresses(rest));
  const cookies = await page.context().cookies();
  for (const [name, path] of sampled(all, SAMPLE, test.info().title)) {
    const outside = OUTSIDE.includes(name);
    // An open page asks who is logged in, every 5 s: without a cookie it gets 401.
    await page.goto("about:blank");
    if (outside) await page.context().clearCookies();
    else await page.context().addCookies(cookies);
    await page.goto(lang ? inLanguage(path, lang) : path);
    await ready(page);
    expect(page.url().includes("/login"), `${name} is ${page.url()}`).toBe(outside);
    await test.step(name, () => look(name));
  }
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`no page violates an accessibility rule, ${colorScheme}`, { tag: "@journey" }, async ({
    inside,
    rest,
  }) => {
    await inside.emulateMedia({ colorScheme });
    await forEachPage(inside, rest, () => expectAccessible(inside));
  });
}

/** Enough of a page's menus and disclosures: a chart's menu is like that of the next chart. */
const MOST_OPENED = 6;
const MENU = "[role=menu]";

test("no opened menu or disclosure violates an accessibility rule", { tag: "@journey" }, async ({
  inside,
  rest,
}) => {
  await forEachPage(inside, rest, async (name) => {
    const dialog = inside.locator("[role=dialog]:visible");
    // The application's frame is the same around each of its pages; what is shared has its own.
    const framed = inside.locator("#content");
    const page = name !== "/" && (await framed.count()) > 0 ? framed : inside.locator("body");
    const content = (await dialog.count()) > 0 ? dialog : page;
    const closed = content.locator(
      'button[aria-haspopup=menu]:visible, button[aria-expanded="false"]:not([aria-haspopup]):visible',
    );
    const count = Math.min(await closed.count(), MOST_OPENED);
    for (let place = 0; place < count; place += 1) {
      // What was opened before may have taken a place of its own among these.
      const button = closed.nth(Math.min(place, (await closed.count()) - 1));
      const menu = (await button.getAttribute("aria-haspopup")) === "menu";
      await button.click();
      if (menu) await inside.locator(`${MENU}:visible`).first().waitFor();
      await test.step(`${name}: ${place + 1}`, () =>
        expectAccessible(inside, menu ? MENU : undefined));
      if (menu) await inside.keyboard.press("Escape");
    }
  });
});

for (const [width, lang] of [
  [390, "en"],
  [390, "zh"],
  [1280, "zh"],
] as const) {
  test(`no page is wider than ${width} px, ${lang}`, { tag: "@journey" }, async ({
    inside,
    rest,
  }) => {
    await inside.setViewportSize({ width, height: 844 });
    await forEachPage(inside, rest, () => expectNoOverflow(inside), lang);
  });
}
