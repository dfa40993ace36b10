import { inLanguage } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";
import { lookAt } from "./looks";

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
  test.setTimeout(180_000);
  const { items } = await rest.get<{ items: { id: string; kind: string; outcome: string }[] }>(
    "/runs?limit=100",
  );
  const run = items.findLast(
    ({ kind, outcome }) => kind === "throughput" && outcome === "succeeded",
  );
  const article = "cilium-native-routing-2023";
  const path = `/references/reproduced?of=${article}:${run?.id}`;
  const beside = await rest.get<{
    claims: { said: { en: string } }[];
    tables: { measured: number }[];
  }>(`/references/${article}/reproduction?run_id=${run?.id}`);
  expect(beside.tables.some(({ measured }) => measured > 0)).toBe(true);
  await logIn(page);
  await lookAt(page, path, page.locator("main"), info);
  await page.goto(inLanguage(path, "en"));
  await ready(page);
  for (const { said } of beside.claims) {
    await expect(page.getByRole("rowheader", { name: said.en })).toBeVisible();
  }
});
