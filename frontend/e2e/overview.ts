import { join } from "node:path";
import { expect, ready, stack, test } from "./fixtures";

/** Where pictures for docs/how-to/install-with-compose.md are written, if anywhere. */
const PICTURES = process.env.E2E_PICTURES;

// Without a login the API responds with 401, which Chromium writes to the console.
test.use({ expectedErrors: { patterns: [/401 \(Unauthorized\).*\/api\/v1\/me/] } });

test("the first administrator logs in to an overview that says what to do first, and does it", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByLabel("Email").fill(stack.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stack.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await ready(page);
  const register = page.getByRole("link", { name: "Register a cluster" }).first();
  await expect(register).toBeVisible();
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "overview.png") });

  await register.click();
  await page.getByLabel("Image of the measuring pods").fill("registry.example/team/bench:0.1.0");
  await page.getByLabel("Pull secret").fill("registry");
  await page.keyboard.press("Tab");
  // The manifest follows what was filled in.
  await expect(page.getByText(/create secret docker-registry registry/).first()).toBeVisible();
  await ready(page);
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "register.png") });
});
