import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { chooseAll } from "./lists";

/** What is shared is seen by anyone who has its link, inside of other pages and on paper too. */
const WIDTHS = { desktop: 1280, phone: 390 } as const;

interface Things {
  cluster: { id: string; name: string };
  experiment: string;
  run: string;
}

/** The first run, its experiment and cluster; later ones are what other tests leave. */
async function things(rest: Rest): Promise<Things> {
  type Listed = { items: { id: string; name: string; experiment_id?: string }[] };
  const { items: runs } = await rest.get<Listed>(
    "/runs?outcome=succeeded&kind=throughput&sort=oldest",
  );
  const run = runs.find(({ experiment_id }) => experiment_id);
  const { items: clusters } = await rest.get<Listed>("/clusters?sort=oldest");
  const [cluster] = clusters;
  if (!run?.experiment_id || !cluster) throw new Error("the setup leaves a run and a cluster");
  return { cluster, experiment: run.experiment_id, run: run.id };
}

async function share(rest: Rest, subject: object, title = "Shared"): Promise<string> {
  const { url } = await rest.post<{ url: string }>("/snapshots", { title, ...subject });
  return new URL(url).pathname;
}

async function visitor(browser: Browser, scheme: "light" | "dark", width: number): Promise<Page> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 900 },
  });
  return await context.newPage();
}

test("a cluster and an experiment are shared from their pages, by the keyboard", async ({
  page,
  rest,
}) => {
  const { cluster, experiment } = await things(rest);
  await logIn(page);
  for (const [path, shown] of [
    [`/experiments/${experiment}`, "Specification"],
    [`/clusters/${cluster.id}`, "Network"],
  ] as const) {
    await page.goto(path);
    await ready(page);
    const link = page.getByRole("link", { name: "Share", exact: true });
    await link.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByText(/names? will be replaced|Nothing would be/)).toBeVisible();
    await expect(dialog.getByLabel("Notes and descriptions")).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create the link" }).press("Enter");
    const field = dialog.getByLabel("Link", { exact: true });
    await expect(field).toBeVisible();
    const url = await field.inputValue();
    const frame = await dialog.getByLabel("To embed it in a wiki").inputValue();
    expect(frame).toContain(`src="${url}/embed"`);
    // Drawn by this very browser.
    const picture = await page.request.get(`${new URL(url).pathname}/preview.png`);
    expect(picture.headers()["content-type"]).toBe("image/png");
    await page.goto(new URL(url).pathname);
    await ready(page);
    await expect(page.getByRole("heading", { name: shown })).toBeVisible();
    await expect(page.getByText(cluster.name)).toHaveCount(0);
  }
});

for (const scheme of ["light", "dark"] as const) {
  for (const [where, width] of Object.entries(WIDTHS)) {
    test(`what is shared is accessible and fits, ${where}, ${scheme}`, async ({
      browser,
      rest,
    }) => {
      const { cluster, experiment, run } = await things(rest);
      const outside = await visitor(browser, scheme, width);
      for (const subject of [
        { cluster_id: cluster.id },
        { experiment_id: experiment },
        { run_id: run },
      ]) {
        const path = await share(rest, subject);
        for (const one of [path, `${path}/embed`]) {
          for (const lang of ["en", "zh"]) {
            await outside.goto(inLanguage(one, lang));
            await ready(outside);
            await expectNoOverflow(outside);
            await expectAccessible(outside);
          }
        }
      }
      await outside.context().close();
    });
  }
}

test.describe("inside of other pages", () => {
  test.use({ expectedErrors: { patterns: [/frame-ancestors|X-Frame-Options|Refused to frame/] } });

  for (const scheme of ["light", "dark"] as const) {
    test(`an embed stands with its headline, its charts and its date, ${scheme}`, async ({
      browser,
      rest,
    }) => {
      const { run } = await things(rest);
      const path = await share(rest, { run_id: run }, "For the wiki");
      const { url } = { url: new URL(path, process.env.E2E_URL).href };
      const wiki = await visitor(browser, scheme, 390);
      let framed = `${url}/embed`;
      const site = createServer((_, answer) => {
        const frame = `<iframe src="${framed}" width="370" height="800"></iframe>`;
        answer.setHeader("Content-Type", "text/html");
        answer.end(`<!doctype html><html lang="en"><title>wiki</title>${frame}`);
      });
      await once(site.listen(0, "127.0.0.1"), "listening");
      const { port } = site.address() as AddressInfo;
      await wiki.goto(`http://127.0.0.1:${port}/`);
      const inside = wiki.frameLocator("iframe");
      await expect(inside.locator("[data-ready=true]")).toBeVisible();
      await expect(inside.getByRole("heading", { level: 1, name: "For the wiki" })).toBeVisible();
      await expect(inside.getByTestId("headline")).toBeVisible();
      await expect(inside.locator("svg.recharts-surface").first()).toBeVisible();
      await expect(inside.getByText("Snapshot of a run, made")).toBeVisible();
      const whole = inside.getByRole("link", { name: "The whole page" });
      await expect(whole).toHaveAttribute("href", path);
      await expect(whole).toHaveAttribute("target", "_blank");
      await expect(inside.getByRole("navigation")).toHaveCount(0);
      await expect(inside.locator("html")).toHaveAttribute("data-mantine-color-scheme", scheme);
      // No other address of it may be framed.
      framed = url;
      await wiki.reload();
      const refused = wiki.frameLocator("iframe").getByText("For the wiki");
      await wiki.waitForLoadState("networkidle");
      await expect(refused).toHaveCount(0);
      await wiki.context().close();
      site.close();
    });
  }
});

test("on paper what is shared is whole, and light", async ({ browser, rest }) => {
  const { experiment, run } = await things(rest);
  const outside = await visitor(browser, "dark", 794);
  for (const subject of [{ experiment_id: experiment }, { run_id: run }]) {
    await outside.goto(await share(rest, subject));
    await ready(outside);
    const root = outside.locator("html");
    await expect(root).toHaveAttribute("data-mantine-color-scheme", "dark");
    await outside.emulateMedia({ media: "print", colorScheme: "dark" });
    await expect(root).toHaveAttribute("data-mantine-color-scheme", "light");
    await expect(outside.getByRole("link", { name: "Download JSON" })).toBeHidden();
    await expect(outside.locator("header button:visible")).toHaveCount(0);
    const cut = await outside.evaluate(() =>
      [...document.querySelectorAll("pre")]
        .filter((one) => one.getClientRects().length > 0)
        .filter((one) => one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.textContent?.slice(0, 40)),
    );
    expect(cut).toEqual([]);
    await expectNoOverflow(outside);
    await outside.emulateMedia({ media: "screen", colorScheme: "dark" });
    await expect(root).toHaveAttribute("data-mantine-color-scheme", "dark");
  }
  await outside.context().close();
});

test("links are found, chosen and revoked together, and the address keeps it", async ({
  page,
  rest,
}) => {
  const { run } = await things(rest);
  for (const name of ["alpha", "bravo"]) await share(rest, { run_id: run }, `Together ${name}`);
  await logIn(page);
  await page.goto("/snapshots");
  await ready(page);
  await page.getByLabel("Search the list").fill("together");
  await page.getByLabel("What", { exact: true }).selectOption("run");
  await page.getByLabel("State", { exact: true }).selectOption("public");
  await page.getByLabel("Order").selectOption("name");
  await expect(page).toHaveURL(/q=together/);
  await expect(page.getByText("2 in all")).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(page.getByLabel("State", { exact: true })).toHaveValue("public");
  await expectAccessible(page);
  await chooseAll(page);
  await page
    .getByRole("region", { name: "Selection" })
    .getByRole("button", { name: "Revoke" })
    .click();
  const dialog = page.getByRole("dialog", { name: "Revoke these 2 links?" });
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog.getByText("Done: 2. Failed: 0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
});

test("comparisons are listed, found, chosen and deleted together", async ({ page, rest }) => {
  const { run } = await things(rest);
  const side = (mode: string) => ({ run_id: run, where: { kube_proxy_mode: mode } });
  for (const [one, other] of [
    ["iptables", "nftables"],
    ["nftables", "iptables"],
  ] as const) {
    await rest.post("/comparisons", { baseline: side(one), contenders: [side(other)] });
  }
  await logIn(page);
  await page.goto("/compare");
  await ready(page);
  await page.getByRole("link", { name: "Saved comparisons" }).click();
  await ready(page);
  const marked = page.getByRole("navigation").getByRole("link", { name: "Compare", exact: true });
  await expect(marked).toHaveAttribute("aria-current", "page");
  await page.getByLabel("Search the list").fill("nftables");
  await page.getByLabel("Kind", { exact: true }).selectOption("throughput");
  await expect(page).toHaveURL(/kind=throughput/);
  for (const width of Object.values(WIDTHS)) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  const rows = page.getByRole("checkbox", { name: /^Select .*nftables/ });
  const before = await rows.count();
  expect(before).toBeGreaterThanOrEqual(2);
  for (const row of [rows.nth(0), rows.nth(1)]) {
    await row.click();
    await expect(row).toBeChecked();
  }
  await expect(page).toHaveURL(/chosen=/);
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete these 2 comparisons?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(dialog.getByText("Done: 2. Failed: 0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(rows).toHaveCount(before - 2);
});
