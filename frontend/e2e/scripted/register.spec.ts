import { expect, logIn, ready, remove, test } from "../fixtures";

/** A cluster's registration in the wizard, until its preflight has succeeded. */
const NAME = "lab-madrid";

test.afterEach(async ({ page, rest }) => {
  // The scripted cluster is registered already, and other tests expect it once.
  const { items } = await rest.get<{ items: { id: string; name: string }[] }>("/clusters");
  for (const { id, name } of items) if (name === NAME) await remove(page, `/clusters/${id}`);
});

test("a cluster is registered by its manifest and kubeconfig", { tag: "@journey" }, async ({
  page,
  rest,
}) => {
  await logIn(page);
  await page.goto("/clusters");
  await ready(page);
  await page.getByRole("link", { name: "Register a cluster" }).first().click();
  await ready(page);
  await expect(page.getByLabel("Manifest")).toContainText("kind: ClusterRole");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Name").fill(NAME);
  const kubeconfig = process.env.E2E_KUBECONFIG ?? "";
  await page.getByRole("textbox", { name: "Kubeconfig" }).fill(kubeconfig);
  await page.getByRole("button", { name: "Register a cluster" }).click();
  await expect(page.getByText("Preflight succeeded")).toBeVisible({ timeout: 90_000 });
  await page.goto("/clusters");
  await ready(page);
  await expect(page.getByRole("link", { name: NAME })).toBeVisible();
  const { items } = await rest.get<{ items: { name: string; preflight_state: string }[] }>(
    "/clusters",
  );
  expect(items.find(({ name }) => name === NAME)?.preflight_state).toBe("succeeded");
});
