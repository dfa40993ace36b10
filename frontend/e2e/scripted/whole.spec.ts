import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, ready, test } from "../fixtures";
import { until } from "../until";

/** What a request took over each path, drawn part by part: wholes whose parts lie end to end. */
test("parts of requests are stacked by path, whatever their language, theme and width", async ({
  page,
  rest,
}) => {
  test.setTimeout(240_000);
  const { items: clusters } = await rest.get<{ items: { id: string }[] }>("/clusters");
  const paths = ["pod-pod", "node-service", "pod-service-pod", "pod-service-name"];
  const experiment = await rest.post<{ id: string }>("/experiments", {
    name: "What a request waits for",
    kind: "request_latency",
    axes: { path: paths },
    repetition: { trials: 2, rounds: 1, warmup: 0 },
  });
  const run = await rest.post<{ id: string }>(`/experiments/${experiment.id}/runs`, {
    cluster_id: clusters[0]?.id,
  });
  await until("the run to end", 180, async () => {
    const { state, outcome, reason } = await rest.get(`/runs/${run.id}`);
    if (state === "finished") expect(outcome, JSON.stringify(reason)).toBe("succeeded");
    return state === "finished";
  });
  await logIn(page);
  for (const [width, theme, lang, part] of [
    [1280, "light", "en", "Name look-up"],
    [390, "dark", "zh", "域名解析"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    const address = `/runs/${run.id}?tab=results&metric=request_parts`;
    await page.goto(inLanguage(address, lang));
    await ready(page);
    const legend = page.locator("[data-legend-entry]");
    await expect(legend.getByText(part, { exact: true })).toBeVisible();
    await expect(legend).toHaveCount(5);
    const bars = page.locator(".recharts-bar-rectangle path");
    await expect(bars).toHaveCount(paths.length * 5);
    // A whole is as long as its parts, and begins at zero: no part lies on another.
    const rows = new Map<number, { left: number; right: number }[]>();
    for (const bar of await bars.all()) {
      const { x, y, width: length } = (await bar.boundingBox()) ?? { x: 0, y: 0, width: 0 };
      const row = rows.get(Math.round(y)) ?? [];
      rows.set(Math.round(y), [...row, { left: x, right: x + length }]);
    }
    expect(rows.size).toBe(paths.length);
    for (const row of rows.values()) {
      const sorted = row.toSorted((one, other) => one.left - other.left);
      sorted.slice(1).forEach(({ left }, index) => {
        expect(Math.abs(left - (sorted[index]?.right ?? 0))).toBeLessThan(3);
      });
    }
    await expectAccessible(page);
    await expectNoOverflow(page);
  }
});
