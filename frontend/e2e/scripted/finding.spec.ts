import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, ready, remove, test } from "../fixtures";
import { chooseAll } from "./lists";
import { succeeded } from "./runs";

const EXPERIMENT = "What kube-proxy's mode costs";

/** Things are found again: searched, tagged, narrowed, chosen; by the keyboard too. */
test("search is opened, used and left by the keyboard", async ({ page }) => {
  await logIn(page);
  await page.goto("/");
  await ready(page);
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: "Search terms" });
  await expect(field).toBeFocused();
  await field.fill("proxy's nftab");
  const options = page.getByRole("option");
  await expect(options.filter({ hasText: "Experiment" }).first()).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: EXPERIMENT })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(field).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(field).toBeHidden();
});

test("a run is tagged, starred and found by it, and the list keeps what it shows", async ({
  page,
  rest,
}) => {
  const { items } = await rest.get<{ items: [{ id: string }] }>("/runs?outcome=succeeded&limit=1");
  await logIn(page);
  await page.goto(`/runs/${items[0].id}`);
  await ready(page);
  await page.getByRole("button", { name: /tags/ }).click();
  const dialog = page.getByRole("dialog");
  // What is offered is labelled alike.
  await dialog.getByLabel("Tags", { exact: true }).and(page.locator("input")).fill("Acme");
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Notes").fill("Before the upgrade");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("list", { name: "Tags" }).getByText("acme")).toBeVisible();
  await expect(page.getByText("Before the upgrade")).toBeVisible();
  const star = page.getByRole("button", { name: /^Favourite/ });
  await star.click();
  await expect(star).toHaveAttribute("aria-pressed", "true");

  await page.goto("/runs");
  await ready(page);
  // On a slow machine the address follows late; the new content must be visible meanwhile.
  const browser = await page.context().newCDPSession(page);
  await browser.send("Emulation.setCPUThrottlingRate", { rate: 12 });
  await page.getByLabel("Tag", { exact: true }).selectOption("acme");
  await page.getByLabel("Favourites only").check();
  await browser.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await page.getByLabel("Search the list").fill("proxy");
  await expect(page).toHaveURL(/tag=acme/);
  await expect(page).toHaveURL(/q=proxy/);
  // The list before stays until it has been narrowed.
  await expect(page.getByText("1 in all", { exact: true })).toBeVisible();
  await chooseAll(page);
  await expect(page.getByText("1 selected.")).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(page.getByText("1 selected.")).toBeVisible();
  await expect(page.getByLabel("Search the list")).toHaveValue("proxy");
  await page.getByRole("link", { name: EXPERIMENT }).click();
  await expect(page.getByRole("heading", { level: 1, name: EXPERIMENT })).toBeVisible();
  await page.goBack();
  await expect(page.getByText("1 selected.")).toBeVisible();
  await expect(page.getByLabel("Favourites only")).toBeChecked();

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
  expect((await download).suggestedFilename()).toBe("podmeter-runs.zip");
  await expect(page.getByText("Done: 1. Failed: 0.")).toBeVisible();
});

test("two runs are chosen and compared, the one chosen first as the baseline", {
  tag: "@journey",
}, async ({ page, rest }) => {
  type Runs = {
    items: [{ id: string; experiment_id: string; clusters: [{ cluster_id: string }] }];
  };
  const { items } = await rest.get<Runs>(
    "/runs?outcome=succeeded&kind=throughput&sort=oldest&limit=1",
  );
  const [older] = items;
  const newer = await rest.post<{ id: string }>(`/experiments/${older.experiment_id}/runs`, {
    cluster_id: older.clusters[0].cluster_id,
  });
  await succeeded(rest, newer.id);
  await logIn(page);
  await page.goto("/runs?outcome=succeeded&kind=throughput");
  await ready(page);
  const bar = page.getByRole("region", { name: "Selection" });
  for (const [run, count] of [
    [older.id, 1],
    [newer.id, 2],
  ] as const) {
    const row = page.getByRole("row").filter({ has: page.locator(`a[href$="/runs/${run}"]`) });
    await row.getByRole("checkbox").check();
    await expect(bar.getByText(`${count} selected.`)).toBeVisible();
  }
  await expect(bar.getByText(`Baseline: ${EXPERIMENT}`)).toBeVisible();
  await bar.getByRole("link", { name: "Compare" }).click();
  await expect(page).toHaveURL(/\/compare\?/);
  const asked = new URL(page.url()).searchParams;
  expect(JSON.parse(asked.get("baseline") ?? "")).toEqual({ run: older.id });
  expect(JSON.parse(asked.get("contenders") ?? "")).toEqual([{ run: newer.id }]);
  await ready(page);
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await expect(page).toHaveURL(/\/compare\/[0-9a-f-]{36}/);
  await ready(page);
  await remove(page, `/runs/${newer.id}`);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`lists with filters are accessible and fit, on a phone too, ${colorScheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await logIn(page);
    for (const address of ["/runs?tag=acme", "/experiments?sort=name", "/clusters?q=lab"]) {
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        for (const lang of ["en", "zh"]) {
          await page.goto(inLanguage(address, lang));
          await ready(page);
          await expectAccessible(page);
          await expectNoOverflow(page);
        }
      }
    }
  });

  test(`search and what is done with several fit a phone, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 844 });
    await logIn(page);
    await page.goto("/experiments");
    await ready(page);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("combobox", { name: "Search terms" }).fill("proxy");
    const found = page.getByRole("listbox", { name: "Search results" });
    await expect(found.getByRole("option").first()).toBeVisible();
    await expectAccessible(page);
    await expectNoOverflow(page);
    await page.screenshot({ path: test.info().outputPath("search.png") });
    await page.keyboard.press("Escape");
    await chooseAll(page);
    const bar = page.getByRole("region", { name: "Selection" });
    await expect(bar).toBeVisible();
    await expectAccessible(page);
    await expectNoOverflow(page);
    await page.screenshot({ path: test.info().outputPath("chosen.png") });
    await bar.getByRole("button", { name: "Tag" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page);
    await page.screenshot({ path: test.info().outputPath("tagging.png") });
  });
}
