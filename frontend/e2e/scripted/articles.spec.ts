import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { lookAt } from "./looks";

const ARTICLE = "cilium-native-routing-2023";

/** The first throughput run: later ones are what other tests leave. */
async function measured(rest: Rest): Promise<string> {
  const { items } = await rest.get<{ items: { id: string; kind: string; outcome: string }[] }>(
    "/runs?limit=100",
  );
  const run = items.findLast(
    ({ kind, outcome }) => kind === "throughput" && outcome === "succeeded",
  );
  if (!run) throw new Error("the setup leaves a run");
  return run.id;
}

/** The articles' experiments to start from, and what came of a run beside the article. */
test("an article's own values are one link away from its quick variant", async ({ page }) => {
  await logIn(page);
  await page.goto("/experiments/new");
  await ready(page);
  await page.getByRole("link", { name: "iptables vs IPVS stress test" }).click();
  await ready(page);
  await expect(page.getByRole("heading", { name: /\d+ cases/ })).toBeVisible();
  await page.goto("/experiments/new?template=iptables_vs_ipvs&values=published&view=yaml");
  await ready(page);
  const text = page.locator(".cm-content");
  await expect(text).toContainText("services: [10, 1000, 5000, 10000, 15000, 20000, 30000]");
  await expect(text).toContainText("requests: 2000");
  await page.goto("/experiments/new?template=latency_by_path&view=yaml&lang=zh");
  await ready(page);
  await expect(text).toContainText("各路径的请求延迟");
});

test("a run stands beside the article, its claims of our figures", async ({ page, rest }, info) => {
  const run = await measured(rest);
  const path = `/references/reproduced?of=${ARTICLE}:${run}`;
  const beside = await rest.get<{
    claims: { said: { text: string } }[];
    tables: { measured: number }[];
  }>(`/references/${ARTICLE}/reproduction?run_id=${run}`);
  expect(beside.tables.some(({ measured }) => measured > 0)).toBe(true);
  await logIn(page);
  await lookAt(page, path, page.locator("main"), info);
  await page.goto(inLanguage(path, "en"));
  await ready(page);
  for (const { said } of beside.claims) {
    await expect(page.getByRole("rowheader", { name: said.text })).toBeVisible();
  }
});

test("articles beside a run are shared by the keyboard, and read without a login", async ({
  page,
  rest,
  browser,
}, info) => {
  const run = await measured(rest);
  await logIn(page);
  await page.goto(`/references/reproduced?of=${ARTICLE}:${run}`);
  await ready(page);
  const link = page.getByRole("link", { name: "Share", exact: true });
  await link.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(/names? will be replaced|Nothing would be/)).toBeVisible();
  await dialog.getByRole("button", { name: "Create the link" }).press("Enter");
  const field = dialog.getByLabel("Link", { exact: true });
  await expect(field).toBeVisible();
  const path = new URL(await field.inputValue()).pathname;
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: "Its articles and runs" }).first()).toBeVisible();

  const outside = await (await browser.newContext()).newPage();
  await lookAt(outside, path, outside.locator("main"), info);
  await outside.goto(inLanguage(path, "en"));
  await ready(outside);
  const beside = await rest.get<{ claims: { said: { text: string } }[] }>(
    `/references/${ARTICLE}/reproduction?run_id=${run}`,
  );
  for (const { said } of beside.claims) {
    await expect(outside.getByRole("rowheader", { name: said.text })).toBeVisible();
  }
  await expect(outside.getByRole("columnheader", { name: /, ours$/ }).first()).toBeVisible();
  await outside.goto(inLanguage(`${path}/embed`, "zh"));
  await ready(outside);
  await expectNoOverflow(outside);
  await expectAccessible(outside);
  await outside.context().close();
});
