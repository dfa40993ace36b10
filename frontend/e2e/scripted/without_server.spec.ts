import type { Page, Route } from "@playwright/test";
import { expect, logIn, ready, test } from "../fixtures";

/** The first load while the server is slow, fails or is away: the frame is there, and it recovers. */
test.use({
  expectedErrors: { patterns: [/503 \(Service Unavailable\)/, /net::ERR_/, /Failed to fetch/] },
});

const ME = "**/api/v1/me";

async function firstLoad(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await logIn(page);
  await page.route(ME, answer);
  await page.goto("/runs");
  // A reader's patience for a blank page is shorter than the message's.
  await expect(page.getByRole("link", { name: "Clusters" })).toBeVisible();
}

const noAnswer = (page: Page) => page.getByText("Podmeter does not respond yet");

async function recovers(page: Page): Promise<void> {
  await ready(page);
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
  await expect(noAnswer(page)).toHaveCount(0);
}

test("slow: the frame at once, then a message, then the page", async ({ page }) => {
  let answered = () => {};
  const asked = new Promise<void>((resolve) => {
    answered = resolve;
  });
  await firstLoad(page, async (route) => {
    await asked;
    await route.continue();
  });
  await expect(noAnswer(page)).toBeVisible();
  answered();
  await recovers(page);
});

test("failing: a message, and the page as soon as it answers", { tag: "@journey" }, async ({
  page,
}) => {
  await firstLoad(page, (route) => route.fulfill({ status: 503, body: "{}" }));
  await expect(noAnswer(page)).toBeVisible();
  await page.unroute(ME);
  await recovers(page);
});

test("away: a message, and the page as soon as it is back", async ({ page }) => {
  await firstLoad(page, (route) => route.abort());
  await expect(noAnswer(page)).toBeVisible();
  await page.unroute(ME);
  await recovers(page);
});

test("an address that no page has keeps the frame", async ({ page }) => {
  await logIn(page);
  await page.goto("/nowhere/at/all");
  await ready(page);
  await expect(page.getByText("Page not found")).toBeVisible();
  await expect(page.getByRole("link", { name: "Clusters" })).toBeVisible();
});
