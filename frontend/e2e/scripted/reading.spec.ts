import { addresses } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";

/** Where the keyboard is, is seen; how something ended is on no paper and no phone cut off. */
test("every link shows that it has the focus", async ({ page, rest }) => {
  test.setTimeout(240_000);
  await logIn(page);
  for (const [name, path] of Object.entries(await addresses(rest))) {
    if (name === "/login") continue;
    await page.goto(path);
    await ready(page);
    const unseen = await page.evaluate(async () => {
      const found: string[] = [];
      // By the keyboard, as the browser has it from now on.
      for (const link of document.querySelectorAll<HTMLElement>("a[href]")) {
        if (link.closest("[aria-hidden=true]") || link.getClientRects().length === 0) continue;
        link.focus({ focusVisible: true } as FocusOptions);
        await new Promise((drawn) => requestAnimationFrame(drawn));
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(link);
        const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
        if (document.activeElement === link && !seen && boxShadow === "none") {
          found.push(link.outerHTML.slice(0, 120));
        }
      }
      return found;
    });
    expect.soft(unseen, name).toEqual([]);
  }
});

for (const [where, width] of [
  ["on a phone", 390],
  ["on paper", 794],
] as const) {
  test(`states are not cut off ${where}`, async ({ page, rest }) => {
    test.setTimeout(120_000);
    const { items } = await rest.get<{ items: { id: string; outcome: string }[] }>("/runs");
    const run = items.find(({ outcome }) => outcome === "succeeded");
    await rest.post("/snapshots", { run_id: run?.id, title: "On paper" });
    await page.setViewportSize({ width, height: 1100 });
    if (where === "on paper") await page.emulateMedia({ media: "print" });
    await logIn(page);
    for (const [path, state] of [
      ["/", "Succeeded"],
      ["/runs", "Succeeded"],
      ["/experiments", "Succeeded"],
      ["/snapshots", "Public"],
    ] as const) {
      await page.goto(path);
      await ready(page);
      const badge = page.getByRole("table").getByText(state, { exact: true }).first();
      await badge.scrollIntoViewIfNeeded();
      await page.evaluate(() => {
        for (const region of document.querySelectorAll("[tabindex='0']")) region.scrollLeft = 0;
      });
      const box = await badge.boundingBox();
      expect.soft(box?.x, path).toBeGreaterThanOrEqual(0);
      expect.soft((box?.x ?? 0) + (box?.width ?? 0), path).toBeLessThanOrEqual(width);
    }
  });
}
