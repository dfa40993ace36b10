import { expect, test } from "@playwright/test";

/** E2E_PERMALINK: what somebody sees who was given a link and has no account. */
test("a permalink shows what was measured, with its chart", async ({ page }) => {
  const link = process.env.E2E_PERMALINK ?? "";
  const answer = await page.goto(link);
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(process.env.E2E_TITLE ?? "");
  await expect(page.locator("svg").first()).toBeVisible();
});
