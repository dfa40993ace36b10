import type { Locator, Page, TestInfo } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { until } from "../until";

/** What policies cost, by their number and the size of the answer: cells, and the article's lines. */
async function measure(rest: Rest): Promise<string> {
  const { items } = await rest.get<{ items: { id: string }[] }>("/clusters");
  const experiment = await rest.post<{ id: string }>("/experiments", {
    name: "What policies cost",
    kind: "network_policy",
    axes: {
      policies: [0, 50, 100, 200],
      response_size: ["0.5k", "10k", "1M"],
      keep_alive: ["off", "on"],
    },
    parameters: { requests: 200 },
    repetition: { profile: "quick", trials: 1, rounds: 6, warmup: 0 },
  });
  const run = await rest.post<{ id: string }>(`/experiments/${experiment.id}/runs`, {
    cluster_id: items[0]?.id,
  });
  await until("the run to end", 240, async () => {
    const { state, outcome, reason } = await rest.get(`/runs/${run.id}`);
    if (state === "finished") expect(outcome, JSON.stringify(reason)).toBe("succeeded");
    return state === "finished";
  });
  return run.id;
}

/** In both languages and themes, wide and narrow; pictures of what `shown` is, to be looked at. */
async function lookAt(page: Page, path: string, shown: Locator, info: TestInfo): Promise<void> {
  for (const language of ["en", "zh"] as const) {
    await page.goto(inLanguage(path, language));
    await ready(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await expectNoOverflow(page);
        await expectAccessible(page);
        await shown.first().scrollIntoViewIfNeeded();
        await page.screenshot({ path: info.outputPath(`${language}-${colorScheme}-${width}.png`) });
      }
    }
  }
}

const costs = (page: Page) => page.getByRole("region", { name: /^Added by policies against/ });

test("what policies cost is read off cells, by keyboard too", async ({ page, rest }, info) => {
  test.setTimeout(420_000);
  const path = `/runs/${await measure(rest)}?tab=results`;
  await logIn(page);
  await page.goto(path);
  await ready(page);
  const apart = costs(page).filter({ hasText: "No keep-alive" });
  const cells = apart.getByRole("img", { name: /n = 6$/ });
  await expect(cells).toHaveCount(9);
  const most = apart.getByRole("img", { name: /200, 0\.5 KiB; \+[0-9.]+.%; / });
  await expect(most).toHaveAccessibleName(/clear; n = 6/);
  await cells.first().focus();
  await page.keyboard.press("Tab");
  await expect(cells.nth(1)).toBeFocused();
  await apart.getByText("Table", { exact: true }).click();
  await expect(apart.getByRole("row")).toHaveCount(10);
  // The article's lines: milliseconds over policies, one for each size.
  const lines = page.getByRole("region", { name: /^Request time, mean/ }).first();
  for (const size of ["0.5 KiB", "10 KiB", "1 MiB"]) {
    await expect(lines.getByText(size, { exact: true }).first()).toBeVisible();
  }
  await lookAt(page, path, page.getByRole("img", { name: /200, 0\.5 KiB;/ }), info);
});

test("the form of policies is there in both languages and themes", async ({ page }, info) => {
  test.setTimeout(180_000);
  await logIn(page);
  const path = "/experiments/new?template=policies_and_sizes";
  await page.goto(path);
  await ready(page);
  await expect(page.getByRole("heading", { name: /\d+ cases/ })).toBeVisible();
  await lookAt(page, path, page.locator("form, main"), info);
});
