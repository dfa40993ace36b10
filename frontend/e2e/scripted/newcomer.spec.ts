import type { Page } from "@playwright/test";
import { expect, ready, stack, test } from "../fixtures";

/** From the login to a link that can be shared, on a cluster that is registered. */
const MOST_CLICKS = 12;
/** From the login to a run that switches modes. */
const MOST_CLICKS_TO_START = 10;

async function countClicks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    addEventListener("click", ({ isTrusted, detail }) => {
      // Those of a pointer; a key that presses a button is none.
      if (!isTrusted || detail === 0) return;
      sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
    });
  });
}

async function logInByHand(page: Page): Promise<void> {
  await page.goto("/");
  await page.getByLabel("Email").fill(stack.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stack.password);
  await page.getByRole("button", { name: "Log in" }).click();
}

// Nobody is logged in at first, which Chromium writes to the console.
test.use({ expectedErrors: { patterns: [/401 \(Unauthorized\).*\/api\/v1\/me/] } });

test("a newcomer needs few clicks", { tag: "@journey" }, async ({ page, browser }) => {
  await countClicks(page);
  await logInByHand(page);
  await page.getByRole("link", { name: "New experiment" }).click();
  await page.getByRole("link", { name: "Throughput of all six paths" }).click();
  await page.getByRole("button", { name: "Save and run" }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}/);
  await expect(page.getByText("Succeeded", { exact: true }).first()).toBeVisible({
    timeout: 240_000,
  });
  await page.getByRole("link", { name: "Share" }).click();
  await page.getByRole("button", { name: "Create the link" }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  const clicks = await page.evaluate(() => Number(sessionStorage.clicks));
  expect(clicks).toBeGreaterThan(4);
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);

  const visitor = await browser.newContext();
  const outside = await visitor.newPage();
  await outside.goto(link);
  await ready(outside);
  await expect(outside.getByRole("heading", { name: "How it was measured" })).toBeVisible();
  expect(await outside.content()).not.toContain("lab-frankfurt");
  await visitor.close();
});

test("starts a run that switches modes, step by step", { tag: "@journey" }, async ({
  page,
  rest,
}) => {
  await countClicks(page);
  await logInByHand(page);
  await page.getByRole("link", { name: "New experiment" }).click();
  await page.getByRole("link", { name: "iptables vs nftables over Services" }).click();
  for (const step of ["1. Question", "2. Modes to compare", "3. Cluster", "4. Plan"]) {
    await expect(page.getByRole("heading", { name: step })).toBeVisible();
  }
  // A single button is filled, which is what a button without a variant is.
  await expect(page.locator("main .mantine-Button-root:not([data-variant])")).toHaveText([
    "Save and run",
  ]);
  await page.getByRole("button", { name: "Save and run" }).click();
  const confirmation = page.getByRole("dialog");
  await confirmation.getByLabel("The owners of the workloads have been informed").check();
  await confirmation.getByRole("button", { name: "Switch and run" }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}/);
  const clicks = await page.evaluate(() => Number(sessionStorage.clicks));
  expect(clicks).toBeGreaterThan(4);
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS_TO_START);
  // Others need the cluster.
  await rest.post(`/runs/${page.url().match(/[0-9a-f-]{36}/)?.[0]}/cancel`);
});
