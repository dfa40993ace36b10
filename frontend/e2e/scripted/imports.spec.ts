import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";

/** What others measured: pasted, seen, placed, kept, and found again as a run that is marked. */
const FIXTURES = new URL("../../../core/tests/fixtures/pasted/articles/", import.meta.url);
const article = (name: string) => readFileSync(new URL(`${name}.txt`, FIXTURES), "utf8");
const CILIUM = ["003-nodes", "003-vxlan", "003-native"].map(article).join("\n");

async function paste(page: Page, text: string): Promise<void> {
  await page.goto("/imports");
  await ready(page);
  await page.getByLabel("Outputs", { exact: true }).fill(text);
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
  const keep = page.getByRole("button", { name: "Save as a run" });
  await expect(keep).toBeDisabled();
  await page.getByLabel("Name", { exact: true }).fill("Cilium, native routing");
  await keep.click();

  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}\?tab=results/);
  await ready(page);
  await expect(page.getByRole("heading", { name: "Cilium, native routing" })).toBeVisible();
  await expect(page.getByText("Import", { exact: false }).first()).toBeVisible();
  await page.getByRole("tab", { name: "Environment" }).click();
  await expect(page.getByText("cilium-62")).toBeVisible();
  await expect(page.getByText("Podmeter measured neither")).toBeVisible();
  await expectAccessible(page);
  await page.goto("/runs?kind=import");
  await expect(page.getByRole("link", { name: "Cilium, native routing" })).toBeVisible();
});

test("a line that cannot be read is shown, corrected, and nothing is lost", async ({ page }) => {
  await logIn(page);
  const odd = CILIUM.replace("493 MBytes/sec", "493 MBotes/sec");
  await paste(page, odd);
  const field = page.getByLabel("Outputs", { exact: true });
  const alert = page.getByRole("alert").filter({ hasText: "Line 39 cannot be read" });
  await expect(alert.getByText(/493 MBotes\/sec/)).toBeVisible();
  // What is above it is recognised all the same, and nothing can be kept.
  const list = page.getByRole("list", { name: "Recognized lines" });
  await expect(list.getByRole("button", { name: /Output 1: iperf3/ })).toBeVisible();
  await expect(list.getByRole("button", { name: /Not read yet/ })).toBeVisible();
  await page.getByLabel("Name", { exact: true }).fill("Odd");
  await expect(page.getByRole("button", { name: "Save as a run" })).toBeDisabled();
  await expectAccessible(page);
  await alert.getByRole("button", { name: "Go to line 39" }).click();
  const chosen = await field.evaluate((one: HTMLTextAreaElement) =>
    one.value.slice(one.selectionStart, one.selectionEnd),
  );
  expect(chosen).toContain("493 MBotes/sec");
  await expect(field).toHaveValue(odd);
  await page.reload();
  await ready(page);
  await expect(page.getByLabel("Outputs", { exact: true })).toHaveValue(odd);
  await page.getByLabel("Outputs", { exact: true }).fill(CILIUM);
  await expect(page.getByRole("table", { name: "3 outputs recognised" })).toBeVisible();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByLabel("Outputs", { exact: true })).toHaveValue("");
});

test("a line between outputs becomes a remark", async ({ page }) => {
  await logIn(page);
  await paste(
    page,
    `${article("003-nodes")}\nand then without kube-proxy\n${article("003-vxlan")}`,
  );
  await page.getByRole("button", { name: "Convert to a remark" }).click();
  await expect(page.getByRole("table", { name: "2 outputs recognised" })).toBeVisible();
  await expect(page.getByLabel("Outputs", { exact: true })).toHaveValue(/\n# and then without/);
  await page.getByRole("button", { name: "Clear" }).click();
});

test("a folder of outputs becomes one comparison", { tag: "@journey" }, async ({ page }) => {
  const folder = join(mkdtempSync(join(tmpdir(), "podmeter-")), "cilium");
  mkdirSync(folder);
  writeFileSync(join(folder, "vxlan.txt"), article("003-vxlan"));
  writeFileSync(join(folder, "native.txt"), article("003-native"));
  writeFileSync(join(folder, "topology.png"), Buffer.from([0x89, 0x50, 0, 1, 2]));
  await logIn(page);
  await page.goto("/imports");
  await ready(page);
  await page.getByTestId("folder").setInputFiles(folder);
  await expect(page.getByText("topology.png: not a text file")).toBeVisible();
  const table = page.getByRole("table", { name: "2 outputs recognised" });
  await expect(table.getByLabel("Variant of output 1")).toHaveValue("native");
  await expect(table.getByLabel("Variant of output 2")).toHaveValue("vxlan");
  await expect(page.getByText("Compared: native, vxlan.")).toBeVisible();
  await page.getByLabel("Name", { exact: true }).fill("Cilium, native and VXLAN");
  await page.getByRole("button", { name: "Save and compare" }).click();
  await expect(page).toHaveURL(/\/compare\/[0-9a-f-]{36}/);
  await ready(page);
  await expect(page.getByText("vxlan").first()).toBeVisible();
});

test("files that are dropped are read each under its name", async ({ page }) => {
  await logIn(page);
  await page.goto("/imports");
  await ready(page);
  const transfer = await page.evaluateHandle(
    ([one, other]) => {
      const held = new DataTransfer();
      held.items.add(new File([one as string], "vxlan.log"));
      held.items.add(new File([other as string], "native.log"));
      return held;
    },
    [article("003-vxlan"), article("003-native")],
  );
  await page
    .getByLabel("Outputs", { exact: true })
    .dispatchEvent("drop", { dataTransfer: transfer });
  const table = page.getByRole("table", { name: "2 outputs recognised" });
  await expect(table.getByLabel("Variant of output 1")).toHaveValue("native");
  await page.getByRole("button", { name: "Clear" }).click();
});

test("it is done by the keyboard alone", async ({ page }) => {
  await logIn(page);
  await page.goto("/imports");
  await ready(page);
  await page.getByLabel("Outputs", { exact: true }).focus();
  await page.keyboard.insertText(article("000-3.4"));
  await expect(page.getByRole("heading", { name: "1 output recognised" })).toBeVisible();
  const first = page.getByRole("list", { name: "Recognized lines" }).getByRole("button").first();
  await page.keyboard.press("Tab");
  await expect(first).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Outputs", { exact: true })).toBeFocused();
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
      .fill(`${CILIUM}\n${article("002-pods")}\nwhat nobody reads\n`);
    await expect(page.getByRole("table")).toBeVisible();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectNoOverflow(page);
    await expectAccessible(page);
    await context.close();
  });
}
