import type { Locator } from "@playwright/test";
import { addresses, inLanguage } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";

/** Where it is in a page whose regions are scrolled to their start; it may be drawn again meanwhile. */
async function whereIs(element: Locator): Promise<{ x: number; width: number }> {
  let found = { x: Number.NaN, width: Number.NaN };
  await expect(async () => {
    await element.scrollIntoViewIfNeeded({ timeout: 5000 });
    await element.page().evaluate(() => {
      for (const region of document.querySelectorAll("[tabindex='0']")) region.scrollLeft = 0;
    });
    const box = await element.boundingBox();
    if (box === null) throw new Error("it is not drawn");
    found = box;
  }).toPass({ timeout: 60_000 });
  return found;
}

/** Where the keyboard is, is seen; how something ended is on no paper and no phone cut off. */
test("every link shows that it has the focus", async ({ page, rest }) => {
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
  // A browser prints as wide as the paper's margins leave it.
  ["on narrow paper", 560],
] as const) {
  test(`states are not cut off ${where}`, async ({ page, rest }) => {
    const { items } = await rest.get<{ items: { id: string; outcome: string }[] }>("/runs");
    const run = items.find(({ outcome }) => outcome === "succeeded");
    await rest.post("/snapshots", { run_id: run?.id, title: "On paper" });
    const { items: cases } = await rest.get<{ items: { id: number }[] }>(`/runs/${run?.id}/cases`);
    const { "/compare/$comparisonId": compared = "" } = await addresses(rest);
    await page.setViewportSize({ width, height: 1100 });
    if (where.endsWith("paper")) await page.emulateMedia({ media: "print" });
    await logIn(page);
    for (const [path, state] of [
      ["/", "Succeeded"],
      ["/runs", "Succeeded"],
      ["/experiments", "Succeeded"],
      ["/snapshots", "Public"],
      [`/runs/${run?.id}?case=${cases[0]?.id}`, "Counted"],
      [compared ?? "", /^(Same|Undecided|Not compared)$/],
    ] as const) {
      await page.goto(path);
      await ready(page);
      const badge = page.getByRole("table").getByText(state, { exact: true }).first();
      const box = await whereIs(badge);
      expect.soft(box.x, path).toBeGreaterThanOrEqual(0);
      expect.soft(box.x + box.width, path).toBeLessThanOrEqual(width);
    }
  });
}

for (const [where, width, covered] of [
  ["on a phone", 390, "th[scope=row], td"],
  ["on a screen", 1280, "th[scope=row], td"],
] as const) {
  test(`nothing is covered by the column that stays ${where}`, async ({ page, rest }) => {
    const { "/compare/$comparisonId": compared = "" } = await addresses(rest);
    await page.setViewportSize({ width, height: 900 });
    await logIn(page);
    for (const path of ["/", "/runs", compared]) {
      await page.goto(path);
      await ready(page);
      const hidden = await page.evaluate((cells) => {
        const rows = [...document.querySelectorAll("tbody > tr:has(> [class*=kept])")];
        const overlaid = rows.flatMap((row) => {
          const stays = row.querySelector("[class*=kept]")?.getBoundingClientRect();
          const before = [...row.querySelectorAll(cells)].filter(
            (cell) => !cell.className.includes("kept"),
          );
          return before
            .map((cell) => ({ text: cell.textContent, box: cell.getBoundingClientRect() }))
            .filter(
              ({ box }) =>
                stays &&
                box.left < stays.left &&
                box.right > stays.left + 1 &&
                // On a phone cells are stacked.
                box.bottom > stays.top + 1 &&
                box.top < stays.bottom - 1,
            )
            .map(({ text }) => text);
        });
        return { rows: rows.length, overlaid };
      }, covered);
      expect(hidden.rows, path).toBeGreaterThan(0);
      expect.soft(hidden.overlaid, path).toEqual([]);
    }
  });
}

for (const lang of ["en", "zh"]) {
  test(`no state is abbreviated on a phone, ${lang}`, async ({ page, rest }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await logIn(page);
    for (const [name, path] of Object.entries(await addresses(rest))) {
      if (name === "/login") continue;
      await page.goto(inLanguage(path, lang));
      await ready(page);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll("table .mantine-Badge-label")]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      );
      expect.soft(cut, name).toEqual([]);
    }
  });
}

test("on paper there is the page, and nothing to press or to go by", async ({ page, rest }) => {
  const { "/runs/$runId results": results } = await addresses(rest);
  await page.setViewportSize({ width: 1100, height: 1100 });
  await logIn(page);
  await page.goto(results ?? "");
  await ready(page);
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("navigation")).toBeHidden();
  await expect(page.getByRole("link", { name: "Share" })).toBeHidden();
  await expect(page.locator("main button[aria-haspopup=menu]:visible")).toHaveCount(0);
  await expect(page.locator("main [role=radiogroup]:visible")).toHaveCount(0);
  await expect(page.getByRole("tab").filter({ visible: true })).toHaveCount(1);
  const heading = await page.getByRole("heading", { level: 1 }).boundingBox();
  expect(heading?.x).toBeLessThan(60);
});

test("a chart's values stand beside its bars, however narrow it is", async ({ page, rest }) => {
  const { items } = await rest.get<{ items: [{ id: string }] }>(
    "/runs?kind=throughput&outcome=succeeded&sort=oldest",
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await logIn(page);
  await page.goto(`/runs/${items[0].id}?tab=results`);
  await ready(page);
  await page
    .getByText(/Gbit\/s$/)
    .first()
    .waitFor();
  const covered = await page.evaluate(() => {
    const found: string[] = [];
    for (const plot of document.querySelectorAll("svg.recharts-surface")) {
      const bars = [...plot.querySelectorAll(".recharts-bar-rectangle path")].map((bar) =>
        bar.getBoundingClientRect(),
      );
      for (const text of plot.querySelectorAll("text[text-anchor=end]")) {
        const { left, top, bottom } = text.getBoundingClientRect();
        const over = bars.some((bar) => bar.right > left && bar.top < bottom && bar.bottom > top);
        if (over) found.push(text.textContent ?? "");
      }
    }
    return found;
  });
  expect(covered).toEqual([]);
});
