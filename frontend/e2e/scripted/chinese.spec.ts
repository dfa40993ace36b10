import type { Page } from "@playwright/test";
import { addresses, inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { apiServer } from "./cluster";

/** In Chinese no English sentence is left: on no page, and in nothing that goes wrong. */
test.use({ expectedErrors: { patterns: [/4\d\d \(/] } });
test.describe.configure({ mode: "serial" });

/** Four words of Latin letters in a row are a sentence, unless people or tools wrote them, or a source that is quoted. */
const SENTENCE = /(?:[A-Za-z][a-z']+[ ,;]+){3,}[a-z']+/;

async function english(page: Page, rest: Rest): Promise<string[]> {
  const lists = ["/experiments?limit=100", "/runs?limit=100"];
  const named = await Promise.all(
    lists.map(async (path) => (await rest.get<{ items: { name: string }[] }>(path)).items),
  );
  const names = named.flat().map(({ name }) => name);
  const text = await page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement;
    const written = "code, pre, .cm-editor, textarea, style, script";
    for (const quoted of copy.querySelectorAll(`${written}, [lang]`)) {
      quoted.remove();
    }
    document.body.append(copy);
    const shown = copy.innerText;
    copy.remove();
    return shown;
  });
  const own = names.reduce((left, name) => left.replaceAll(name, ""), text);
  return own.split("\n").filter((line) => SENTENCE.test(line));
}

test("no page has an English sentence", async ({ page, rest }) => {
  test.setTimeout(240_000);
  await logIn(page);
  for (const [name, path] of Object.entries(await addresses(rest))) {
    if (name === "/login") continue;
    await page.goto(inLanguage(path, "zh"));
    await ready(page);
    expect.soft(await english(page, rest), name).toEqual([]);
  }
});

test("nor has what goes wrong", async ({ page, rest }) => {
  test.setTimeout(180_000);
  await logIn(page);
  await test.step("a specification", async () => {
    await page.goto("/experiments/new?template=blank&view=yaml&lang=zh");
    await ready(page);
    for (const text of ["kind: throughput\n", "kind: [", "- a", "name: x\nkind: nonsense\n"]) {
      await page.locator(".cm-content").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
      await expect(page.getByText(/第 \d+ 行/).first()).toBeVisible();
      expect.soft(await english(page, rest), text).toEqual([]);
    }
  });
  await test.step("a kubeconfig", async () => {
    await page.goto("/clusters/new?step=kubeconfig&lang=zh");
    await ready(page);
    const field = page.getByRole("textbox", { name: "kubeconfig" });
    for (const text of [
      "",
      "{}",
      "apiVersion: v1\nkind: Config\nusers: [{name: a, user: {exec: {}}}]",
    ]) {
      await page.getByLabel("名称").fill("x");
      await field.fill(text);
      await page.getByRole("button", { name: "注册集群" }).click();
      await expect(page.getByRole("alert").first()).toBeVisible();
      expect.soft(await english(page, rest), text).toEqual([]);
    }
  });
  await test.step("a preflight", async () => {
    await apiServer(false);
    try {
      await page.goto("/clusters?lang=zh");
      await ready(page);
      await page.getByRole("button", { name: "预检" }).click();
      await expect(page.getByText(/拒绝连接/).first()).toBeVisible();
      expect.soft(await english(page, rest)).toEqual([]);
    } finally {
      await apiServer(true);
    }
    await page.getByRole("button", { name: "预检" }).click();
    await expect(page.getByText("预检成功")).toBeVisible({ timeout: 60_000 });
  });
});
