import type { BrowserContext, Page } from "@playwright/test";
import { expectAccessible } from "../accessibility";
import { expect, logIn, ready, stack, test } from "../fixtures";

/** Single sign-on with a certified provider: in, who it is then, and out of both. */
test.use({ expectedErrors: { patterns: [/401 \(Unauthorized\)/, /502 \(Bad Gateway\)/] } });

test.beforeEach(async ({ context }) => {
  // The provider's own pages would fetch a font.
  await context.route("https://fonts.googleapis.com/**", (route) =>
    route.fulfill({ contentType: "text/css", body: "" }),
  );
});

/** At the provider: says who it is, and that Podmeter may know. */
async function signOn(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Podmeter's own: those of the provider are of the same machine. */
async function cookies(context: BrowserContext): Promise<string[]> {
  const found = await context.cookies(stack.url);
  return found.map((one) => one.name).filter((name) => name.startsWith("podmeter"));
}

test("somebody signs on, comes where they wanted to, and leaves both", { tag: "@journey" }, async ({
  page,
  context,
}) => {
  await page.goto("/members");
  await expect(page).toHaveURL(/\/login\?next=/);
  await ready(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sign in with Acme" }).click();
  await signOn(page, "ada");
  await expect(page).toHaveURL(`${stack.url}/members`);
  await ready(page);
  const row = page.getByRole("row", { name: /ada@people\.example/ });
  await expect(row.getByText("Single sign-on")).toBeVisible();
  await expectAccessible(page);
  await row.getByRole("button", { name: /^Actions/ }).click();
  await expect(page.getByRole("menuitem", { name: "Remove" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: /password/ })).toHaveCount(0);

  await test.step("the account is the provider's", async () => {
    await page.goto("/profile");
    await ready(page);
    await expect(
      page.getByText("Your account belongs to your single sign-on provider."),
    ).toBeVisible();
    await expect(page.getByLabel("Current password")).toHaveCount(0);
    await expectAccessible(page);
    expect(await cookies(context)).toEqual(["podmeter_session"]);
  });

  await test.step("logging out ends the provider's session too", async () => {
    // However long the provider takes, the login stands meanwhile, and not a page that needs one.
    const login = page.waitForEvent("framenavigated", (frame) => frame.url().includes("/login"));
    await page.route("**/session/end?*", async (route) => {
      await login;
      await route.continue();
    });
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await expect(page).toHaveURL(/\/login/);
    await ready(page);
    expect(await cookies(context)).toEqual([]);
    await page.getByRole("button", { name: "Sign in with Acme" }).click();
    await expect(page.getByPlaceholder("Enter any login")).toBeVisible();
  });

  await test.step("the log has each once", async () => {
    await logIn(page);
    await page.goto("/audit?who=ada@people.example");
    await ready(page);
    await expect(page.getByRole("cell", { name: "Signed in by single sign-on" })).toHaveCount(1);
    await expect(page.getByRole("cell", { name: "Logged out" })).toHaveCount(1);
  });
});

test("with the keyboard alone, and a way back that leads elsewhere leads nowhere", async ({
  page,
}) => {
  await page.goto("/login?next=https://evil.example/");
  await ready(page);
  await page.getByRole("button", { name: "Sign in with Acme" }).focus();
  await page.keyboard.press("Enter");
  await page.getByPlaceholder("Enter any login").fill("ada");
  await page.keyboard.press("Tab");
  await page.keyboard.type("any");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Continue" }).press("Enter");
  await expect(page).toHaveURL(`${stack.url}/`);
  await ready(page);
});

test("whom no group lets in is told so, and an answer is good once", async ({ page }) => {
  await page.goto("/login");
  await ready(page);
  await page.getByRole("button", { name: "Sign in with Acme" }).click();
  const answered = page.waitForRequest((request) => request.url().includes("/sign-on?"));
  await signOn(page, "eve");
  await ready(page);
  await expect(page.getByText("none of your groups has access to Podmeter")).toBeVisible();
  // The code is in no address that stays.
  await expect(page).toHaveURL(`${stack.url}/sign-on`);
  await expectAccessible(page);
  await page.goto((await answered).url());
  await ready(page);
  await expect(page.getByText("this sign-in was started in another browser")).toBeVisible();
  await page.getByRole("link", { name: "Sign in again" }).click();
  await expect(page.getByRole("button", { name: "Sign in with Acme" })).toBeVisible();
});

test("a provider that is away is said, with how to mend it", async ({ page }) => {
  await page.route("**/auth/sign-on/start", async (route) => {
    // As the API renders them for who asks in Chinese.
    const message = { code: "provider_fails", params: {}, text: "单点登录暂不可用" };
    const params = { host: "login.example" };
    const text = "无法访问单点登录提供方 login.example";
    const fault = { code: "provider_unreachable", params, text };
    const mend = { code: "mend_provider_away", params: {}, text: "请稍后重试。" };
    const errors = [{ detail: fault.text, message: fault, remedy: mend.text, mend }];
    const json = { type: "x", title: "x", status: 502, detail: "x", code: "provider" };
    await route.fulfill({
      status: 502,
      contentType: "application/problem+json",
      body: JSON.stringify({ ...json, message, errors }),
    });
  });
  await page.goto("/login?lang=zh");
  await ready(page);
  await page.getByRole("button", { name: "使用 Acme 登录" }).click();
  await expect(page.getByText("无法访问单点登录提供方 login.example")).toBeVisible();
  await expect(page.getByText("请稍后重试。")).toBeVisible();
  await expectAccessible(page);
});

test("under single sign-on only, a password is asked for where that is wanted", async ({
  page,
}) => {
  await page.route("**/auth/sign-on", (route) =>
    route.fulfill({ json: { name: "Acme", only: true } }),
  );
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/login?next=%2Fruns");
  await ready(page);
  await expect(page.getByRole("textbox", { name: "Password" })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("link", { name: /use the emergency password/ }).click();
  await expectAccessible(page);
  await page.getByLabel("Email").fill(stack.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stack.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page).toHaveURL(`${stack.url}/runs`);
});
