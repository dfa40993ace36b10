import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { addresses, inLanguage, newMember } from "../addresses";
import { expect, logIn, type Rest, ready, remove, stack, test } from "../fixtures";
import { keyboard } from "../hands";
import { until } from "../until";
import { holdBy } from "./cluster";

/** People who come, are given another role, go, and are in two organizations. */
test.use({ expectedErrors: { patterns: [/401 \(Unauthorized\)/, /4(04|09|22) \(/] } });
test.describe.configure({ mode: "serial" });

const SINCE = new Date("2026-01-02T03:04:05Z");
const PASSWORD = "a password of one's own";
const EMAIL = `grace-${Date.now()}@example.org`;

test.afterAll(async () => {
  await holdBy(null, SINCE);
});

/** A run that waits, so that its page gets events. */
async function waiting(rest: Rest): Promise<string> {
  const list = async (path: string) =>
    (await rest.get<{ items: { id: string }[] }>(path)).items[0]?.id;
  await holdBy("77f00000abcd/9", SINCE);
  const run = await rest.post<{ id: string }>(`/experiments/${await list("/experiments")}/runs`, {
    cluster_id: await list("/clusters"),
  });
  return run.id;
}

/** What others look at is as it was: no run of theirs is the latest, or was cancelled. */
async function forget(page: Page, rest: Rest, run: string): Promise<void> {
  await rest.post(`/runs/${run}/cancel`);
  await until("the run to end", 60, async () => {
    const { state } = await rest.get(`/runs/${run}`);
    return state === "finished";
  });
  await remove(page, `/runs/${run}`);
}

async function step(page: Page, email: string, name: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${email}` }).click();
  await page.getByRole("menuitem", { name }).click();
}

test("somebody is invited, comes, is given another role, and is told at once when removed", {
  tag: "@journey",
}, async ({ page, browser, rest }) => {
  await logIn(page);
  await page.goto("/members");
  await ready(page);
  await test.step("how much the organization may have, and has", async () => {
    interface Limits {
      quotas: { quota: string; used: number; most: number | null }[];
    }
    const { quotas } = await rest.get<Limits>("/organization");
    const clusters = quotas.find(({ quota }) => quota === "clusters");
    expect(clusters?.used).toBeGreaterThan(0);
    expect(clusters?.most).toBeGreaterThan(0);
    const limits = page.getByRole("table", { name: "Limits of the organization" });
    await expect(limits.getByRole("row")).toHaveCount(quotas.length + 1);
    const row = limits.getByRole("row", { name: /^Registered clusters/ });
    const told = [clusters?.used, clusters?.most].map((count) => count?.toLocaleString("en") ?? "");
    await expect(row.getByRole("cell")).toHaveText(told);
  });
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByRole("button", { name: "Create an invitation" }).click();
  await expect(page.getByText(`${EMAIL} is invited`)).toBeVisible();
  await expectAccessible(page);
  const link = await page.getByRole("group", { name: "Link" }).innerText();
  expect(link).toContain("/join#");

  const visitor = await browser.newContext();
  const theirs = await visitor.newPage();
  await test.step("the link says what it offers, and lets in once", async () => {
    await theirs.goto(link);
    await ready(theirs);
    await expect(theirs.getByText(EMAIL)).toBeVisible();
    await expect(theirs.getByText("Viewer")).toBeVisible();
    await expectAccessible(theirs);
    await theirs.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await theirs.getByRole("button", { name: "Accept the invitation" }).click();
    await expect(theirs).toHaveURL(`${stack.url}/`);
    await ready(theirs);
    const again = await browser.newContext();
    const second = await again.newPage();
    await second.goto(link);
    await expect(second.getByText(/this invitation does not exist/)).toBeVisible();
    await again.close();
  });

  await test.step("another role is there without the page being loaded anew", async () => {
    await theirs.goto("/experiments");
    await ready(theirs);
    await expect(theirs.getByRole("link", { name: "New experiment" })).toHaveCount(0);
    await page.reload();
    await ready(page);
    await page.getByLabel(`Role of ${EMAIL}`).selectOption("operator");
    const set = page.getByRole("button", { name: `Set role of ${EMAIL}` });
    await set.click();
    // Once the list was read again: a member is removed as of the version that it shows.
    await expect(set).toHaveCount(0);
    await expect(theirs.getByRole("link", { name: "New experiment" }).first()).toBeVisible();
  });

  await test.step("removed, whoever watches a run is out", async () => {
    const run = await waiting(rest);
    await theirs.goto(`/runs/${run}`);
    await ready(theirs);
    await expect(theirs.getByText("Queued", { exact: true }).first()).toBeVisible();
    await step(page, EMAIL, "Remove");
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(theirs.getByText("Your login has expired or was ended")).toBeVisible();
    await theirs.getByLabel("Email").fill(EMAIL);
    await theirs.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await theirs.getByRole("button", { name: "Log in" }).click();
    await expect(theirs.getByText("the email address or the password is wrong")).toBeVisible();
    await forget(page, rest, run);
  });
  await visitor.close();
});

test("in two organizations, a tab of one never acts in the other", async ({ page, context }) => {
  await logIn(page);
  await page.goto("/profile");
  await ready(page);
  await page.getByLabel("New organization").fill("The other lab");
  await page.getByRole("button", { name: "Create" }).click();
  const other = await context.newPage();
  await other.goto("/clusters");
  await ready(other);
  await expect(other.getByRole("link", { name: "lab-frankfurt" })).toBeVisible();
  await page.getByRole("button", { name: "Switch to The other lab" }).first().click();
  await expect(page).toHaveURL(`${stack.url}/`);
  await ready(page);
  await page.goto("/clusters");
  await ready(page);
  await expect(page.getByRole("link", { name: "lab-frankfurt" })).toHaveCount(0);

  const dialog = other.getByRole("dialog", { name: "You switched to another organization" });
  await expect(dialog).toBeVisible();
  await expectAccessible(other);
  await dialog.getByRole("button", { name: /^Back to/ }).click();
  await expect(dialog).toHaveCount(0);
  await expect(other.getByRole("link", { name: "lab-frankfurt" })).toBeVisible();
  await expect(
    page.getByRole("dialog", { name: "You switched to another organization" }),
  ).toBeVisible();
});

test("a password is changed with the keyboard, and other sessions end", async ({
  page,
  browser,
}) => {
  await logIn(page);
  const elsewhere = await browser.newContext();
  const second = await elsewhere.newPage();
  await logIn(second);
  await second.goto("/settings");
  await ready(second);
  await page.goto("/profile");
  await ready(page);
  await page.getByRole("textbox", { name: "Current password" }).focus();
  await page.keyboard.type("wrong");
  await page.getByRole("textbox", { name: "New password" }).fill(stack.password);
  await page.keyboard.press("Enter");
  await expect(page.getByText("the password is wrong").first()).toBeVisible();
  await page.getByRole("textbox", { name: "Current password" }).fill(stack.password);
  await page.keyboard.press("Enter");
  await expect(page.getByText("The password was changed")).toBeVisible();
  await expect(second.getByText("Your login has expired or was ended")).toBeVisible();
  await expect(page.getByText("This session")).toBeVisible();
  await elsewhere.close();
});

test("a member is given another role, and removed, by the keyboard", async ({ page, rest }) => {
  const { email } = await newMember(rest);
  await logIn(page);
  await page.goto("/members");
  await ready(page);
  await keyboard.choose(page.getByLabel(`Role of ${email}`), "Operator");
  const set = page.getByRole("button", { name: `Set role of ${email}` });
  await keyboard.press(set);
  await expect(set).toHaveCount(0);
  await expect
    .poll(async () => {
      const { items } = await rest.get<{ items: { email: string; role: string }[] }>("/members");
      return items.find((one) => one.email === email)?.role;
    })
    .toBe("operator");
  await keyboard.press(page.getByRole("button", { name: `Actions for ${email}` }));
  await keyboard.press(page.getByRole("menuitem", { name: "Remove" }));
  const dialog = page.getByRole("dialog", { name: `Remove ${email}` });
  await keyboard.press(dialog.getByRole("button", { name: "Remove", exact: true }));
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("row", { name: new RegExp(email) })).toHaveCount(0);
});

test("the audit log is narrowed, and fetched, by the keyboard", async ({ page }) => {
  await logIn(page);
  await page.goto("/audit");
  await ready(page);
  const log = page.getByRole("search", { name: "Filters" });
  await keyboard.write(log.getByLabel("Who"), stack.email);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/who=/);
  await keyboard.choose(log.getByLabel("What", { exact: true }), "Removed a member");
  await expect(page).toHaveURL(/operation=delete_member/);
  const entries = page.getByRole("table").getByRole("row").filter({ hasText: stack.email });
  await expect(entries.first()).toContainText("Removed a member");
  const download = page.waitForEvent("download");
  await keyboard.press(page.getByRole("link", { name: "CSV" }));
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  await keyboard.tick(log.getByLabel("Failed logins only"));
  await expect(page).toHaveURL(/refused=true/);
  await expect(page.getByText("No entry matches")).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`pages of people, and of what they did, are accessible and fit, ${colorScheme}`, async ({
    browser,
    rest,
  }) => {
    const all = await addresses(rest);
    for (const width of [1280, 390]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
      const page = await context.newPage();
      await logIn(page);
      for (const name of ["/members", "/audit", "/profile", "/join", "/reset", "/sign-on"]) {
        for (const lang of ["en", "zh"]) {
          await page.goto(inLanguage(all[name] ?? "", lang));
          await ready(page);
          await test.step(`${name} ${width} ${lang}`, async () => {
            await expectAccessible(page);
            await expectNoOverflow(page);
          });
        }
      }
      await context.close();
    }
  });
}
