import { kubeconfigOf } from "./cluster";
import { expect, ready, stack, test } from "./fixtures";
import { keyboard, pointer } from "./hands";

/** The main job, as a team does it in the browser, once with each hand. */
const SPECIFICATION = `name: What encapsulation costs, in short
kind: throughput
axes:
  encapsulation: [host-gw, vxlan]
  path: [node-node, pod-pod]
  protocol: [tcp]
  streams: [1]
repetition:
  profile: quick
  trials: 5
  seconds: 1
  rounds: 1
  warmup: 0
`;

// A link that shows nothing is answered by 404, which Chromium writes to the console.
test.use({
  expectedErrors: {
    patterns: [/404 \(Not Found\).*\/s\//, /401 \(Unauthorized\).*\/api\/v1\/me/],
  },
});

for (const [hand, { press, tick, write, choose }] of Object.entries({ pointer, keyboard })) {
  test(`register, define, watch live, compare, share, open logged out, revoke: ${hand}`, async ({
    page,
    browser,
  }) => {
    const cluster = { pointer: "testbed", keyboard: "lab" }[hand] ?? hand;

    await test.step("log in", async () => {
      await page.goto("/clusters/new?capability=switch_modes");
      await write(page.getByLabel("Email"), stack.email);
      await write(page.getByRole("textbox", { name: "Password" }), stack.password);
      await press(page.getByRole("button", { name: "Log in" }));
      await expect(page).toHaveURL(/\/clusters\/new/);
    });

    await test.step("register the cluster", async () => {
      await ready(page);
      const manifest = await page.getByLabel("Manifest").innerText();
      const kubeconfig = kubeconfigOf(manifest);
      await press(page.getByRole("button", { name: "Next" }));
      await write(page.getByLabel("Name"), cluster);
      await write(page.getByRole("textbox", { name: "Kubeconfig" }), kubeconfig);
      await tick(page.getByLabel("Allow runs to switch this cluster's modes"));
      await press(page.getByRole("button", { name: "Register a cluster" }));
      await expect(page.getByText("Preflight succeeded")).toBeVisible({ timeout: 90_000 });
    });

    await test.step("define the experiment", async () => {
      await page.goto("/experiments/new?template=blank&view=yaml");
      await write(page.locator(".cm-content"), SPECIFICATION);
      await expect(page.getByRole("heading", { name: "4 cases" })).toBeVisible();
      await choose(page.getByLabel("Cluster", { exact: true }), cluster);
      await press(page.getByRole("button", { name: "Save and run" }));
      await tick(page.getByLabel("The owners of the workloads have been informed"));
      await press(page.getByRole("button", { name: "Switch and run" }));
      await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}/);
    });

    await test.step("watch it live, and again after a reload", async () => {
      const status = page.locator("[data-ready=true]");
      await expect(status).toContainText("of 4 cases");
      await page.reload();
      await expect(status).toContainText("4 of 4 cases", { timeout: 240_000 });
      // Of the run itself: modes are restored and everything is removed before it is over.
      await expect(page.getByRole("button", { name: "Cancel run" })).toHaveCount(0, {
        timeout: 60_000,
      });
      await expect(page.getByText("Succeeded", { exact: true }).first()).toBeVisible();
    });

    await test.step("look at what it found", async () => {
      await expect(page.getByRole("tab", { name: "Results" })).toHaveAttribute(
        "aria-selected",
        "true",
      );
      await press(page.getByRole("tab", { name: "Cases" }));
      await press(page.locator("[data-case]").first());
      await press(page.getByRole("link", { name: "Trial 1", exact: true }));
      await expect(page.getByText("iperf3", { exact: false }).first()).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await press(page.getByRole("tab", { name: "Results" }));
      await expect(page.getByRole("heading", { name: /Loss/ }).first()).toBeVisible();
    });

    await test.step("compare its modes", async () => {
      await press(page.getByRole("button", { name: "Compare" }));
      await press(page.getByRole("menuitem", { name: /Compare its modes/ }));
      await press(page.getByRole("button", { name: "Compare", exact: true }));
      await expect(page).toHaveURL(/\/compare\/[0-9a-f-]{36}/);
      await expect(page.getByText("Comparable").first()).toBeVisible();
    });

    const link = await test.step("share it", async () => {
      await press(page.getByRole("link", { name: "Share" }));
      await expect(page.getByText(/names? will be replaced/)).toBeVisible();
      await write(page.getByLabel("Title of the page"), "What encapsulation costs here");
      await press(page.getByRole("button", { name: "Create the link" }));
      return await page.getByLabel("Link", { exact: true }).inputValue();
    });

    const visitor = await browser.newContext();
    const outside = await visitor.newPage();
    await test.step("read it logged out", async () => {
      await outside.goto(link);
      await ready(outside);
      await expect(outside.getByRole("heading", { level: 1 })).toHaveText(
        "What encapsulation costs here",
      );
      await expect(outside.getByRole("heading", { name: "How it was measured" })).toBeVisible();
      expect(await outside.content()).not.toContain("node-1");
    });

    await test.step("revoke it", async () => {
      await press(page.getByRole("dialog").getByRole("button", { name: "Close" }).last());
      await press(page.getByRole("button", { name: /^Revoke/ }));
      await press(page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }));
      await expect(page.getByText("Revoked", { exact: true }).first()).toBeVisible();
      // That of an earlier flow is there too: this one is when none is left to revoke.
      await expect(page.getByRole("button", { name: /^Revoke/ })).toHaveCount(0);
      const answer = await outside.goto(link);
      expect(answer?.status()).toBe(404);
      await expect(outside.getByText("How it was measured")).toHaveCount(0);
    });
    await visitor.close();
  });
}
