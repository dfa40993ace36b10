import type { Locator, Page, TestInfo } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { ready } from "../fixtures";

/**
 * In both languages and themes, wide and narrow; pictures of what `shown` is, to be looked at.
 * Of accessibility every two of these are looked at together: four looks instead of eight.
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
        const wide = width === 1280;
        if (((language === "en") === (colorScheme === "light")) === wide) {
          await expectAccessible(page);
        }
        await shown.first().scrollIntoViewIfNeeded();
        await page.screenshot({ path: info.outputPath(`${language}-${colorScheme}-${width}.png`) });
      }
    }
  }
}
