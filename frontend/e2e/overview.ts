import { expect, ready, stack, test } from "./fixtures";

// Who is not logged in is told so by 401, which Chromium writes to the console.
test.use({ expectedErrors: { patterns: [/401 \(Unauthorized\).*\/api\/v1\/me/] } });

test("the first administrator logs in to an overview that says what to do first", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByLabel("Email").fill(stack.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stack.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await ready(page);
  await expect(page.getByRole("link", { name: "Register a cluster" }).first()).toBeVisible();
});
