import type { Page } from "@playwright/test";

/** What is chosen is in the address. */
export async function chooseAll(page: Page): Promise<void> {
  await page.getByRole("checkbox", { name: "Select all shown" }).check();
}
