import { expectAccessible } from "./accessibility";
import { expect, logIn, type Rest, ready, test } from "./fixtures";

/** What a user does with a run besides watching it: queue, cancel, resume, delete. */
const ENDED = { timeout: 180_000 };

async function begin(rest: Rest, name: string): Promise<string> {
  const { items } = await rest.get<{ items: { id: string }[] }>("/clusters");
  const experiment = await rest.post<{ id: string }>("/experiments", {
    name,
    kind: "throughput",
    axes: { path: ["pod-pod", "node-node"], protocol: ["tcp"], streams: [1] },
    repetition: { profile: "quick", trials: 6, seconds: 2, rounds: 1, warmup: 0 },
  });
  const run = await rest.post<{ id: string }>(`/experiments/${experiment.id}/runs`, {
    cluster_id: items[0]?.id,
  });
  return run.id;
}

test("wait in the queue, cancel, resume, delete", async ({ page, rest }) => {
  const first = await begin(rest, "Cancelled and resumed");
  const second = await begin(rest, "Waits its turn");
  const content = page.locator("[data-ready=true]");
  const step = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).first().click();
    await page.getByRole("dialog").getByText(name).first().waitFor();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  };
  await logIn(page);

  await test.step("the second waits for the first", async () => {
    await page.goto(`/runs/${second}`);
    await ready(page);
    await expect(content).toContainText("in its cluster's queue");
    await step("Cancel run");
    await expect(page.getByText("Cancelled", { exact: true }).first()).toBeVisible(ENDED);
  });

  await test.step("cancel what is running; what was measured is kept", async () => {
    await page.goto(`/runs/${first}`);
    await ready(page);
    await expect(page.getByText(/[1-5] of 6 trials/).first()).toBeVisible(ENDED);
    await step("Cancel run");
    await expect(page.getByRole("button", { name: "Resume", exact: true })).toBeVisible(ENDED);
    await expect(page.getByText("Cancelled", { exact: true }).first()).toBeVisible();
  });
  const { items: kept } = await rest.get<{ items: unknown[] }>(`/runs/${first}/trials`);
  expect(kept.length).toBeGreaterThan(0);

  await test.step("resume it", async () => {
    await step("Resume");
    await expect(content).toContainText("2 of 2 cases", ENDED);
    await expect(page.getByText("Succeeded", { exact: true }).first()).toBeVisible(ENDED);
  });

  await test.step("delete the other", async () => {
    await page.goto(`/runs/${second}`);
    await ready(page);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete run" }).click();
    await expect(page).toHaveURL(/\/runs$/);
    await ready(page);
    await expect(page.getByText("Waits its turn")).toHaveCount(0);
    await expect(page.getByText("Cancelled and resumed").first()).toBeVisible();
  });
});
