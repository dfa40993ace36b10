import type { Locator, Page, TestInfo } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { ready } from "../fixtures";

/** Every two of a language, a theme and a width are together in one of these. */
const PAIRS = ["en-light-1280", "en-dark-390", "zh-light-390", "zh-dark-1280"];

/**
 * In both languages and themes, wide and narrow; pictures of what `shown` is, to be looked at.
 * Accessible in four of the eight: looking is slow.
 */
export async function lookAt(
  page: Page,
  path: string,
  shown: Locator,
  info: TestInfo,
): Promise<void> {
  for (const language of ["en", "zh"] as const) {
    await page.goto(inLanguage(path, language));
    await ready(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await expectNoOverflow(page);
        const look = `${language}-${colorScheme}-${width}`;
        if (PAIRS.includes(look)) await expectAccessible(page);
        await shown.first().scrollIntoViewIfNeeded();
        await page.screenshot({ path: info.outputPath(`${look}.png`) });
      }
    }
  }
}
