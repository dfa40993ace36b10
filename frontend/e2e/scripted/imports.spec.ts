import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";

/** What others measured: pasted, seen, placed, kept, and found again as a run that is marked. */
const FIXTURES = new URL("../../../core/tests/fixtures/pasted/articles/", import.meta.url);
const article = (name: string) => readFileSync(new URL(`${name}.txt`, FIXTURES), "utf8");
const CILIUM = ["003-nodes", "003-vxlan", "003-native"].map(article).join("\n");

// What cannot be read is refused, which Chromium writes to the console.
test.use({ expectedErrors: { patterns: [/422 .*\/api\/v1\/imports/] } });

async function paste(page: Page, text: string): Promise<void> {
  await page.goto("/imports");
  await ready(page);
  await page.getByLabel("Outputs", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Recognise" }).click();
}

test("an article's outputs become a run", { tag: "@journey" }, async ({ page }) => {
  await logIn(page);
  await page.goto("/runs");
  await page.getByRole("link", { name: "Import results" }).click();
  await paste(page, CILIUM);
  const table = page.getByRole("table", { name: "3 outputs recognised" });
  await expect(table.getByText("9.55 Gbit/s").first()).toBeVisible();
  await expect(table.getByText("1138 MBytes/sec").first()).toBeVisible();
  await expectAccessible(page);

  await table.getByLabel("Path of all").selectOption("pod-pod");
  await table.getByLabel("Path of output 1").selectOption("node-node");
  await page.getByLabel("Cluster", { exact: true }).fill("cilium-62");
  await page.getByLabel("CNI", { exact: true }).fill("Cilium");
  const keep = page.getByRole("button", { name: "Keep as a run" });
  await expect(keep).toBeDisabled();
  await page.getByLabel("Name", { exact: true }).fill("Cilium, native routing");
  await keep.click();

  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}\?tab=results/);
  await ready(page);
  await expect(page.getByRole("heading", { name: "Cilium, native routing" })).toBeVisible();
  await expect(page.getByText("Import", { exact: false }).first()).toBeVisible();
  await page.getByRole("tab", { name: "Environment" }).click();
  await expect(page.getByText("cilium-62")).toBeVisible();
  await expect(page.getByText("Podmeter saw neither")).toBeVisible();
  await expectAccessible(page);
  await page.goto("/runs?kind=import");
  await expect(page.getByRole("link", { name: "Cilium, native routing" })).toBeVisible();
});

test("a line that cannot be read is named, and nothing is lost", async ({ page }) => {
  await logIn(page);
  const odd = CILIUM.replace("493 MBytes/sec", "493 MBotes/sec");
  await paste(page, odd);
  const field = page.getByLabel("Outputs", { exact: true });
  await expect(page.getByText(/line 39 \(.*493 MBotes\/sec.*\)/).first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Go to line 39" }).click();
  const chosen = await field.evaluate((one: HTMLTextAreaElement) =>
    one.value.slice(one.selectionStart, one.selectionEnd),
  );
  expect(chosen).toContain("493 MBotes/sec");
  await expect(field).toHaveValue(odd);
  await page.reload();
  await ready(page);
  await expect(page.getByLabel("Outputs", { exact: true })).toHaveValue(odd);
  await page.getByLabel("Outputs", { exact: true }).fill("");
});

test("it is done by the keyboard alone", async ({ page }) => {
  await logIn(page);
  await page.goto("/imports");
  await ready(page);
  await page.getByLabel("Outputs", { exact: true }).focus();
  await page.keyboard.insertText(article("000-3.4"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "1 output recognised" })).toBeVisible();
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.insertText("By keyboard");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}/);
});

for (const [width, lang, colorScheme] of [
  [390, "en", "dark"],
  [390, "zh", "light"],
  [1280, "zh", "dark"],
] as const) {
  test(`recognised outputs fit ${width} px, ${lang}, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
    const page = await context.newPage();
    await logIn(page);
    await page.goto(inLanguage("/imports", lang));
    await ready(page);
    await page
      .getByRole("textbox")
      .first()
      .fill(`${CILIUM}\n${article("002-pods")}`);
    await page.getByRole("button", { name: lang === "en" ? "Recognise" : "识别" }).click();
    await expect(page.getByRole("table")).toBeVisible();
    await expectNoOverflow(page);
    await expectAccessible(page);
    await context.close();
  });
}
