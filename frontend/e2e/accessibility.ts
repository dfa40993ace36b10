import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No violation of WCAG 2.2 AA or of axe's best practices on the page, or in a part, as it is. */
export async function expectAccessible(page: Page, part = "html"): Promise<void> {
  // What fades into another theme has no contrast yet; what turns for ever does not end.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .filter(({ playState }) => playState === "running")
      .every(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
  );
  // By the debugger, since the pages' policy lets no foreign script in.
  if (await page.evaluate("window.axe === undefined")) await page.evaluate(AXE);
  // Passed checks are not listed, which is twice as fast.
  const results: AxeResults = await page.evaluate(
    `axe.run(${JSON.stringify(part)}, { resultTypes: ['violations'] })`,
  );
  const found = results.violations.map((violation) => ({
    rule: violation.id,
    help: violation.help,
    nodes: violation.nodes.map((node) => node.html.slice(0, 200)),
  }));
  const said = found.map(({ rule, nodes }) => `${rule} of ${nodes[0]}`).join(" | ");
  expect.soft(found, `${page.url()} violates ${said}`).toEqual([]);
}

/** Nothing is wider than the window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const beyond = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
  // A window that was just made narrow is laid out again after it.
  await expect
    .configure({ soft: true })
    .poll(beyond, { message: `${page.url()} is wider than the window` })
    .toBeLessThanOrEqual(0);
}
