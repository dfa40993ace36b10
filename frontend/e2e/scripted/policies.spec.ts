import type { Page } from "@playwright/test";
import { expect, logIn, ready, test } from "../fixtures";
import { lookAt } from "./looks";
import { measured } from "./runs";

/** What policies cost, by their number and the size of the answer: cells, and the article's lines. */
const POLICIES = {
  name: "What policies cost",
  kind: "network_policy",
  axes: {
    policies: [0, 100, 200],
    response_size: ["0.5k", "10k", "1M"],
    keep_alive: ["off", "on"],
  },
  parameters: { requests: 200 },
  repetition: { profile: "quick", trials: 1, rounds: 6, warmup: 0 },
};

const costs = (page: Page) =>
  page.getByRole("region", { name: /^Latency added by policies against/ });

test("what policies cost is read off cells, by keyboard too", async ({ page, rest }, info) => {
  const path = `/runs/${await measured(rest, POLICIES)}?tab=results`;
  await logIn(page);
  await page.goto(path);
  await ready(page);
  const apart = costs(page).filter({ hasText: "No keep-alive" });
  const cells = apart.getByRole("img", { name: /n = 6$/ });
  await expect(cells).toHaveCount(6);
  const most = apart.getByRole("img", { name: /200, 0\.5 KiB; \+[0-9.]+.%; / });
  await expect(most).toHaveAccessibleName(/clear; n = 6/);
  await cells.first().focus();
  await page.keyboard.press("Tab");
  await expect(cells.nth(1)).toBeFocused();
  await apart.getByText("Table", { exact: true }).click();
  await expect(apart.getByRole("row")).toHaveCount(7);
  // The article's lines: milliseconds over policies, one for each size.
  const lines = page.getByRole("region", { name: /^Request time, mean/ }).first();
  for (const size of ["0.5 KiB", "10 KiB", "1 MiB"]) {
    await expect(lines.getByText(size, { exact: true }).first()).toBeVisible();
  }
  await lookAt(page, path, page.getByRole("img", { name: /200[,，] ?0\.5 KiB[;；]/ }), info);
});

test("the form of policies is there in both languages and themes", async ({ page }, info) => {
  await logIn(page);
  const path = "/experiments/new?template=policies_and_sizes";
  await page.goto(path);
  await ready(page);
  await expect(page.getByRole("heading", { name: /\d+ cases/ })).toBeVisible();
  await lookAt(page, path, page.locator("form, main"), info);
});
