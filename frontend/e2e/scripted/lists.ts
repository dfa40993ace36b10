import type { Page } from "@playwright/test";
import { expect } from "../fixtures";

/** What is chosen is in the address, and the sign follows. */
export async function chooseAll(page: Page): Promise<void> {
  const all = page.getByRole("checkbox", { name: "Choose all that are shown" });
  await all.click();
  await expect(all).toBeChecked();
}
