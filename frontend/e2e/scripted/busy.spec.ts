import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { until } from "../until";
import { apiServer, holdBy } from "./cluster";
import { succeeded } from "./runs";

/** A cluster that is in use, and a missing one. */
test.describe.configure({ mode: "serial" });

const SINCE = new Date("2026-01-02T03:04:05Z");

interface List {
  items: { id: string }[];
}

async function first(rest: Rest, path: string): Promise<string> {
  const { items } = await rest.get<List>(path);
  return items[0]?.id ?? "";
}

async function lookedAt(rest: Rest, cluster: string) {
  await until("the preflight", 60, async () => {
    const found = await rest.get(`/clusters/${cluster}`);
    return found.preflight_state === "succeeded";
  });
}

// Wherever a test ends, those after it find the cluster as it was.
test.afterEach(async ({ rest }) => {
  await apiServer(true);
  await holdBy(null, SINCE);
  const cluster = await first(rest, "/clusters");
  await rest.post(`/clusters/${cluster}/preflight`);
  await lookedAt(rest, cluster);
});

test("a run waits for another Podmeter's, and names it and since when", async ({ page, rest }) => {
  const cluster = await first(rest, "/clusters");
  await holdBy("77f00000abcd/9", SINCE);
  const experiment = await first(rest, "/experiments");
  const run = await rest.post<{ id: string }>(`/experiments/${experiment}/runs`, {
    cluster_id: cluster,
  });
  await logIn(page);
  await page.goto(`/runs/${run.id}`);
  await ready(page);
  await expect(
    page.getByText(/run 77f00000abcd holds the Lease of this cluster since 2026-01-02 03:04:05/),
  ).toBeVisible();
  await expect(page.getByText("Queued", { exact: true }).first()).toBeVisible();

  await test.step("so does the overview", async () => {
    await page.goto("/");
    await ready(page);
    await expect(
      page.getByText(/run 77f00000abcd holds the Lease of this cluster since/),
    ).toBeVisible();
  });

  await test.step("a preflight meanwhile reads what needs no pods, and is no failure", async () => {
    await page.goto("/clusters");
    await ready(page);
    await page.getByRole("button", { name: "Preflight" }).click();
    await lookedAt(rest, cluster);
    await page.getByRole("link", { name: "lab-frankfurt" }).click();
    await expect(
      page.getByText(/run 77f00000abcd holds the Lease of this cluster since/),
    ).toBeVisible();
    await expect(page.getByText("Preflight failed")).toHaveCount(0);
    // What only pods can tell is that of the last look inside.
    await expect(page.getByText("iptables on every node")).toBeVisible();
  });

  await holdBy(null, SINCE);
  await succeeded(rest, run.id);
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByText("Succeeded", { exact: true }).first()).toBeVisible();
});

test("a refused port is a red card at once, which goes when a later preflight succeeds", async ({
  page,
  rest,
}) => {
  const cluster = await first(rest, "/clusters");
  await logIn(page);
  await page.goto("/clusters");
  await ready(page);
  await apiServer(false);
  await page.getByRole("button", { name: "Preflight" }).click();
  await expect(page.getByText(/refused the connection/)).toBeVisible();

  await test.step("the overview has it among those that need attention", async () => {
    await page.goto("/");
    await ready(page);
    const attention = page.getByRole("region", { name: "Clusters that need attention" });
    await expect(attention.getByRole("link", { name: "lab-frankfurt" })).toBeVisible();
    await expect(attention.getByText(/refused the connection/)).toBeVisible();
    await page.goto("/clusters");
    await ready(page);
  });

  await apiServer(true);
  // By somebody else: nothing is pressed on this page.
  await rest.post(`/clusters/${cluster}/preflight`);
  await expect(page.getByText(/refused the connection/)).toHaveCount(0, { timeout: 60_000 });
  await expect(page.getByText("Preflight succeeded")).toBeVisible();
  await expect(page.getByText("Preflight failed")).toHaveCount(0);
  await page.goto("/");
  await ready(page);
  await expect(page.getByRole("heading", { name: "Clusters that need attention" })).toHaveCount(0);
});
