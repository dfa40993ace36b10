import type { Page } from "@playwright/test";
import { expectAccessible } from "../accessibility";
import { expect, logIn, type Rest, ready, stack, test } from "../fixtures";
import { Relay } from "../relay";

/** Logins that expire, addresses that lead nowhere, connections that are lost. */
test.use({
  expectedErrors: {
    patterns: [
      /401 \(Unauthorized\)/,
      /404 \(Not Found\)/,
      /net::ERR_/,
      /Failed to fetch/,
      /NotLoadedError/,
    ],
  },
});
// How soon a connection counts as lost depends on what else continues.
test.describe.configure({ lock: "-exclusive-" });

const MEASURED = "What kube-proxy's mode costs";
const NOBODY = "00000000-0000-4000-8000-000000000000";
const ME = "**/api/v1/me";

/**
 * The login ends, and the page learns it from what `act` asks for. What the page asks for by
 * itself, every few seconds, waits for the end of `act`. ME is answered as before, until it is
 * unrouted.
 */
async function withoutLogin(page: Page, act: () => Promise<void>): Promise<void> {
  const response = await page.request.get("/api/v1/me");
  let release = () => {};
  const acted = new Promise<void>((done) => {
    release = done;
  });
  await page.route("**/api/v1/**", async (route) => {
    await acted;
    await route.continue();
  });
  await page.route(ME, (route) => route.fulfill({ response }));
  await page.context().clearCookies();
  await act();
  release();
}

test("an expired login leads to the login, and back to where one was", { tag: "@journey" }, async ({
  page,
}) => {
  await logIn(page);
  await page.goto("/runs?state=finished");
  await ready(page);
  await withoutLogin(page, async () => {
    await page.getByRole("link", { name: "Clusters" }).click();
    await expect(page).toHaveURL(/\/clusters$/);
  });
  await expect(page.getByText("Your login has expired")).toBeVisible();
  await page.unroute(ME);
  await expect(page.getByText("Authorization: Bearer")).toHaveCount(0);
  await expectAccessible(page);
  await page.getByLabel("Email").fill(stack.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stack.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page).toHaveURL(/\/clusters$/);
  await expect(page.getByRole("link", { name: "lab-frankfurt" })).toBeVisible();
});

test("logging out is no expired login, however long the login takes to load", async ({ page }) => {
  await logIn(page);
  await page.goto("/runs");
  await ready(page);
  // The page before asks meanwhile who is logged in, which nobody is.
  const asked = page.waitForResponse(
    (answer) => answer.url().endsWith("/api/v1/me") && answer.status() === 401,
  );
  await page.route("**/assets/login_page-*.js", async (route) => {
    await asked;
    await route.continue();
  });
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  await expect(page).toHaveURL(`${stack.url}/login`);
});

test("who logs out of a login that has ended is out", async ({ page, request }) => {
  await logIn(page);
  const response = await request.get("/api/v1/me");
  expect(response.status()).toBe(401);
  await page.route("**/api/v1/auth/logout", (route) => route.fulfill({ response }));
  await page.goto("/runs");
  await ready(page);
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await expect(page).toHaveURL(`${stack.url}/login`);
});

test("what was typed is there again after a login that expired", async ({ page }) => {
  await logIn(page);
  await page.goto("/experiments/new?template=blank");
  await ready(page);
  await page.getByLabel("Name").fill("Typed before it expired");
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeEnabled();
  await withoutLogin(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
  await expect(page.getByText("Your login has expired")).toBeVisible();
  await page.unroute(ME);
  await page.getByLabel("Email").fill(stack.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stack.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Typed before it expired");
});

test("bad addresses end in the right page with a sentence", async ({ page, rest }) => {
  await logIn(page);
  const run = await measured(rest);
  const { items: clusters } = await rest.get<{ items: { id: string }[] }>("/clusters");
  for (const [path, shown] of [
    [`/runs/${run}?tab=bogus`, MEASURED],
    [`/clusters/${clusters[0]?.id}?tab=bogus`, "lab-frankfurt"],
    ["/runs?state=bogus&kind=bogus", "Runs"],
    ["/clusters/new?step=bogus&capability=bogus", "Register a cluster"],
    ["/experiments/new?template=bogus", "New experiment"],
    ["/compare?baseline=bogus", "Compare"],
    ["/runs/notauuid", "No such run"],
    ["/clusters/notauuid", "No such cluster"],
    ["/experiments/notauuid", "No such experiment"],
    ["/compare/notauuid", "No such comparison"],
    [`/runs/${NOBODY}`, "No such run"],
    [`/clusters/${NOBODY}`, "No such cluster"],
    [`/experiments/${NOBODY}`, "No such experiment"],
    [`/compare/${NOBODY}`, "No such comparison"],
  ] as const) {
    await page.goto(path);
    await ready(page);
    await test.step(path, async () => {
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(shown);
      await expect(page.getByRole("link", { name: "Overview" })).toBeVisible();
      await expect(page.getByText("This page could not be displayed")).toHaveCount(0);
    });
  }
  await expectAccessible(page);
  await test.step("a kind that is none narrows nothing, and is not offered", async () => {
    await page.goto("/runs?kind=bogus");
    await ready(page);
    const kind = page.getByRole("combobox", { name: "Kind" });
    await expect(kind).toHaveValue("");
    await expect(kind.getByRole("option", { name: "Throughput" })).toHaveCount(1);
    await expect(kind.getByRole("option", { name: /bogus/ })).toHaveCount(0);
    await expect(page.getByRole("link", { name: MEASURED }).first()).toBeVisible();
  });
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

test("the tab of a bad address is the first one, and works", async ({ page, rest }) => {
  await logIn(page);
  await page.goto(`/runs/${await measured(rest)}?tab=bogus`);
  await ready(page);
  await expect(page.getByRole("tab", { name: "Results" })).toHaveAttribute("aria-selected", "true");
  const log = page.getByRole("tab", { name: "Log" });
  await log.click();
  await expect(page.getByRole("region", { name: "Log" })).toBeVisible();
  // The tab has the keyboard focus, so the header does not cover it either.
  await expect(log).toBeInViewport({ ratio: 1 });
  const header = await page.locator(".mantine-AppShell-header").boundingBox();
  await expect
    .poll(async () => (await log.boundingBox())?.y)
    .toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0));
});

test("offline, what is shown stays, and it goes on by itself", async ({ page, context }) => {
  await logIn(page);
  await page.goto("/clusters");
  await ready(page);
  await context.setOffline(true);
  await expect(page.getByText("Connection lost, reconnecting")).toBeVisible();
  await expect(page.getByRole("link", { name: "lab-frankfurt" })).toBeVisible();
  await expectAccessible(page);

  await test.step("a page whose code is not there yet leaves the application standing", async () => {
    await page.getByRole("link", { name: "Settings" }).click();
    await expect(page.getByText("This page could not be loaded")).toBeVisible();
    await expect(page.getByRole("link", { name: "Overview" })).toBeVisible();
    await expect(page.getByText("Connection lost, reconnecting")).toBeVisible();
  });

  await context.setOffline(false);
  await expect(page.getByText("Connection lost, reconnecting")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
});

test("a server that is away takes nothing of what is shown", { tag: "@journey" }, async ({
  page,
}) => {
  const relay = new Relay(new URL(stack.url));
  await relay.open();
  try {
    await logIn(page, relay.url);
    await page.goto(`${relay.url}/`);
    await ready(page);
    relay.cut();
    await visit(page, "Runs");
    await expect(page.getByText("Connection lost, reconnecting")).toBeVisible();
    await visit(page, "Overview");
    await expect(page.getByText("What kube-proxy's mode costs").first()).toBeVisible();
    await visit(page, "Runs");
    relay.mend();
    await expect(page.getByText("Connection lost, reconnecting")).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
    await expect(
      page.getByRole("link", { name: "What kube-proxy's mode costs" }).first(),
    ).toBeVisible();
  } finally {
    await relay.close();
  }
});

/** The run that the set-up left. */
async function measured(rest: Rest): Promise<string> {
  const { items } = await rest.get<{ items: { id: string; name: string }[] }>(
    "/runs?sort=oldest&limit=100",
  );
  return items.find(({ name }) => name === MEASURED)?.id ?? "";
}

async function visit(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}
