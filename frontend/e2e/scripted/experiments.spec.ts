import type { Page } from "@playwright/test";
import { expectAccessible } from "../accessibility";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { withoutNftables } from "./cluster";

/** Writing an experiment: by YAML, by form, for a cluster that cannot do everything. */
// What the API refuses is an error of the console.
test.use({ expectedErrors: { patterns: [/422 \(Unprocessable/] } });

async function clusterOf(rest: Rest): Promise<{ id: string }> {
  const { items } = await rest.get<{ items: [{ id: string }] }>("/clusters");
  return items[0];
}

async function write(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

test("your own YAML opens YAML, whose faults name their field and end with their text", {
  tag: "@journey",
}, async ({ page }) => {
  await logIn(page);
  await page.goto("/experiments/new");
  await ready(page);
  await page.getByRole("link", { name: "Your own YAML" }).click();
  await expect(page.locator(".cm-content")).toBeVisible();

  await write(page, "kind: throughput\n");
  await expect(page.getByText("Line 1: name: This field is required")).toBeVisible();
  await write(page, "name: x\nkind: nonsense\n");
  await expect(page.getByText(/Line 2: kind: unknown kind nonsense/)).toBeVisible();
  await expectAccessible(page);

  // The answer to the new text is held back: what is said meanwhile must not be of the old one.
  let go = () => {};
  const held = new Promise<void>((over) => {
    go = over;
  });
  await page.route("**/api/v1/experiments/plan*", async (route) => {
    await held;
    await route.continue();
  });
  await write(page, "name: x\nkind: throughput\n");
  await expect(page.getByText(/unknown kind nonsense/)).toHaveCount(0);
  go();
  await expect(page.getByRole("heading", { name: /\d+ cases/ })).toBeVisible();
  await expect(page.getByText(/unknown kind nonsense/)).toHaveCount(0);
});

test("what can be written is offered, and explained under the pointer", async ({ page }) => {
  await logIn(page);
  await page.goto("/experiments/new?template=blank&view=yaml");
  await ready(page);
  await write(page, "name: x\nkind: throughput\naxes:\n  ");
  await page.keyboard.press("Control+Space");
  const offered = page.locator(".cm-tooltip-autocomplete li");
  await expect(offered.filter({ hasText: "path" }).first()).toBeVisible();
  await expect(offered.filter({ hasText: "services" })).toHaveCount(0);
  await page.keyboard.type("pat");
  await page.keyboard.press("Enter");
  await page.keyboard.type("[pod-p");
  await expect(offered.filter({ hasText: "pod-pod" }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page
    .locator(".cm-content")
    .getByText("throughput")
    .hover({ position: { x: 60, y: 8 } });
  await expect(page.locator(".cm-about")).toBeVisible();
});

test("an experiment that is defined from a cluster is for that cluster", async ({ page, rest }) => {
  const { id } = await clusterOf(rest);
  await logIn(page);
  await page.goto(`/clusters/${id}`);
  await ready(page);
  await page.getByRole("link", { name: "Create an experiment" }).click();
  await page.getByRole("link", { name: "Throughput of all six paths" }).click();
  await expect(page).toHaveURL(new RegExp(`cluster=${id}`));
  await expect(page.getByLabel("Cluster", { exact: true })).toHaveValue(id);
});

test("modes that the cluster cannot have are greyed with the reason, and no run starts", async ({
  page,
}) => {
  await withoutNftables(page);
  await logIn(page);
  await page.goto("/experiments/new?template=throughput");
  await ready(page);
  const nftables = page.getByRole("checkbox", { name: "nftables" });
  await expect(nftables).toBeDisabled();
  await expect(page.getByText(/nftables: .*the kernel of node-2 has no nf_tables/)).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "iptables" })).toBeEnabled();
  const start = page.getByRole("button", { name: "Save and run" });
  await expect(start).toBeEnabled();
  await expectAccessible(page);

  await page.goto("/experiments/new?template=blank&view=yaml");
  await ready(page);
  await write(page, "name: x\nkind: throughput\naxes:\n  kube_proxy_mode: [iptables, nftables]\n");
  await expect(page.getByText(/nftables is not available on/).first()).toBeVisible();
  await expect(start).toBeDisabled();
  await expect(page.getByText("Fix the problems above first.")).toBeVisible();
});

for (const width of [1280, 390]) {
  test(`Save and run is in sight wherever the page is scrolled, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await logIn(page);
    await page.goto("/experiments/new?template=six_paths");
    await ready(page);
    const start = page.getByRole("button", { name: "Save and run" });
    for (const part of [0, 0.3, 0.7, 1]) {
      await page.evaluate((share) => {
        scrollTo(0, share * document.documentElement.scrollHeight);
      }, part);
      await expect(start).toBeInViewport({ ratio: 1 });
    }
  });
}
