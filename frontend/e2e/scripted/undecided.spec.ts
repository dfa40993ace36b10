import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../accessibility";
import { expect, logIn, type Rest, ready, test } from "../fixtures";

/** One block a mode decides nothing: what would is said, planned and queued from there. */
interface Run {
  id: string;
  name: string;
  state: string;
  spec: { repetition: { rounds: number } };
}

async function measured(rest: Rest): Promise<Run> {
  const {
    items: [first],
  } = await rest.get<{ items: Run[] }>("/runs?outcome=succeeded&sort=oldest&limit=1");
  if (first === undefined) throw new Error("nothing was measured");
  return first;
}

/** Queues what is offered there; the new run, and what it has more of. */
async function queue(page: Page, rest: Rest, offered: Locator): Promise<Run> {
  const dialog = page.getByRole("dialog", { name: "Run again: 6 rounds" });
  // Charts that are drawn above it late move it away under the pointer. A dialog that comes late
  // covers the button.
  await expect(async () => {
    const button = offered.getByRole("button", { name: "Queue a run: 6 rounds" });
    if (!(await dialog.isVisible())) await button.click({ timeout: 5_000 });
    await expect(dialog).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await expect(dialog.locator("[data-figure=blocks]")).toHaveText("12");
  await expect(dialog.getByText("Detectable difference")).toBeVisible();
  await expectAccessible(page);
  const confirm = dialog.getByRole("button", { name: "Queue the run" });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("checkbox").check();
  await confirm.click();
  await dialog.getByRole("link", { name: "Open the new run" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  await ready(page);
  return await rest.get<Run>(`/runs/${new URL(page.url()).pathname.split("/").at(-1)}`);
}

test("a run that decided nothing is measured again with as many rounds as it takes", async ({
  page,
  rest,
}) => {
  const before = await measured(rest);
  await logIn(page);
  await page.goto(`/runs/${before.id}`);
  await ready(page);
  const offered = page.getByTestId("next-run");
  // Of two paths, one of which is the control, that needs no verdict.
  await expect(offered.getByText(/^One comparison has too few rounds for a verdict/)).toBeVisible();
  const queued = await queue(page, rest, offered);
  expect(queued.id).not.toBe(before.id);
  expect(queued.spec.repetition.rounds).toBe(6);
  expect(queued.name).toBe(`${before.name}, 6 rounds`);
  await rest.post(`/runs/${queued.id}/cancel`);
});

test("a comparison offers the same, beside what it says of a row too", async ({ page, rest }) => {
  const run = await measured(rest);
  const where = (mode: string) => ({ run_id: run.id, where: { kube_proxy_mode: mode } });
  const made = await rest.post<{ id: string }>("/comparisons", {
    baseline: where("iptables"),
    contenders: [where("nftables")],
  });
  await logIn(page);
  await page.goto(`/compare/${made.id}`);
  await ready(page);
  await expect(page.getByTestId("next-run")).toBeVisible();
  const effects = page.getByRole("region", { name: "Table of effects" });
  await effects
    .getByRole("button", { name: /^Trials and reason/ })
    .first()
    .click();
  await expect(effects.getByText("A verdict needs at least 6 rounds")).toBeVisible();
  const queued = await queue(page, rest, effects);
  expect(queued.spec.repetition.rounds).toBe(6);
  await rest.post(`/runs/${queued.id}/cancel`);
});
