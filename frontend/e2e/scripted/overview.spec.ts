import { expectAccessible, expectNoOverflow } from "../accessibility";
import { expect, logIn, ready, test } from "../fixtures";

/** What each cluster's network costs, at a glance. */
test("the overview says what the run itself says, how old it is, and what noise is", {
  tag: "@journey",
}, async ({ page, rest }) => {
  const { clusters } = await rest.get<{ clusters: [{ runs: [{ run_id: string }] }] }>("/overview");
  const { headline } = await rest.get<{ headline: { sentences: [{ text: string }] } }>(
    `/runs/${clusters[0].runs[0].run_id}/summaries`,
  );
  await logIn(page);
  await page.goto("/");
  await ready(page);
  const found = page.locator("[data-found=throughput]");
  await expect(found.getByText(headline.sentences[0].text)).toBeVisible();
  await expect(found.getByText(/ ago$/)).toBeVisible();
  await expect(page.getByText(/not measured; needed to compare two runs/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Noise floor" }).click();
  await expect(page.getByRole("tab", { name: "Noise floor" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`curves that cross and losses are drawn, on a phone too, ${colorScheme}`, async ({
    page,
    rest,
  }) => {
    const told = await rest.get<{ clusters: [{ runs: [Record<string, unknown>] }] }>("/overview");
    const figure = (value: number) => ({ value, low: value * 0.97, high: value * 1.03 });
    const curve = (mode: string, values: number[]) =>
      values.map((value, place) => ({
        key: {
          metric: "requests_per_second",
          subject: "",
          unit: "1/s",
          direction: "higher",
          point: { kube_proxy_mode: mode, target: "last", services: 10 ** (place + 1) },
          against: null,
        },
        ...figure(value),
        n: 12,
        verdict: null,
        code: "median",
        parameters: {},
      }));
    Object.assign(told.clusters[0].runs[0], {
      losses: ["pod-pod", "pod-service-pod"].map((path) => ({
        key: {
          metric: "throughput_loss",
          subject: "",
          unit: "ratio",
          direction: "lower",
          point: { path, protocol: "tcp", streams: 1 },
          against: { path: "node-node", protocol: "tcp", streams: 1 },
        },
        ...figure(0.26),
        n: 12,
        verdict: "worse",
        code: "loss",
        parameters: {},
      })),
      curves: [
        {
          axis: "services",
          rows: [
            ...curve("iptables", [11_000, 10_000, 7_000, 4_000]),
            ...curve("nftables", [10_000, 10_000, 10_000, 10_000]),
          ],
          crossing: {
            key: {
              metric: "requests_per_second",
              subject: "",
              unit: "count",
              direction: "none",
              point: { kube_proxy_mode: "nftables", target: "last" },
              against: { kube_proxy_mode: "iptables", target: "last" },
            },
            ...{ value: 100, low: 10, high: 1000, n: 96, verdict: null, code: "crossing" },
            parameters: { axis: "services", contender_leads_after: true },
          },
        },
      ],
    });
    await page.route("**/api/v1/overview", (route) => route.fulfill({ json: told }));
    await page.emulateMedia({ colorScheme });
    await logIn(page);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto("/");
      await ready(page);
      const chart = page.getByRole("img", { name: /cross between 10 and 1,000/ });
      await expect(chart).toBeVisible();
      expect(await chart.locator("[data-whisker]").count()).toBe(8);
      await expect(page.getByRole("rowheader", { name: "Path Pod → Service → Pod" })).toBeVisible();
      await expectNoOverflow(page);
      await expectAccessible(page);
    }
  });
}

test("saved comparisons are listed, and a run took as long on every page", async ({
  page,
  rest,
}) => {
  const { items } = await rest.get<{ items: { id: string; name: string; outcome: string }[] }>(
    "/runs?state=finished",
  );
  const run = items.findLast(({ outcome }) => outcome === "succeeded");
  const side = (mode: string) => ({ run_id: run?.id, where: { kube_proxy_mode: mode } });
  const saved = await rest.post<{ id: string }>("/comparisons", {
    baseline: side("iptables"),
    contenders: [side("nftables")],
  });
  await logIn(page);
  await page.goto("/");
  await ready(page);
  const rows = page.getByRole("table", { name: "Latest finished runs" }).getByRole("row");
  const latest = rows.filter({ hasText: /\d\u202f(s|min)$/ }).first();
  const took = (await latest.getByRole("cell").last().innerText()).trim();
  const { pathname } = new URL(
    (await latest.getByRole("link").getAttribute("href")) ?? "",
    page.url(),
  );
  await page.locator(`a[href="/compare/${saved.id}"]`).click();
  await expect(page).toHaveURL(new RegExp(`/compare/${saved.id}`));
  await page.goto(pathname);
  await ready(page);
  await expect(page.locator("main").getByText(took).first()).toBeVisible();
  await page.goto("/runs");
  await ready(page);
  const row = page.getByRole("row").filter({ has: page.locator(`a[href="${pathname}"]`) });
  await expect(row.getByRole("cell", { name: took, exact: true })).toBeVisible();
});
