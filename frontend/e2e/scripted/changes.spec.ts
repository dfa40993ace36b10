import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../accessibility";
import { inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { succeeded } from "./runs";

/** What changed from one run of an experiment to the next: on its page, and on the overview. */
test.describe.configure({ mode: "serial" });

interface Run {
  id: string;
  experiment_id: string;
  clusters: [{ cluster_id: string }];
}
let first: Run;
let second: Run;

async function latest(rest: Rest): Promise<Run> {
  const { items } = await rest.get<{ items: Run[] }>("/runs?outcome=succeeded");
  const found = items.find(({ experiment_id }) => experiment_id !== null);
  if (found === undefined) throw new Error("no run of an experiment succeeded");
  return found;
}

test("a run is held against the run before it, each a link away", async ({ page, rest }) => {
  first = await latest(rest);
  const { id } = await rest.post<Run>(`/experiments/${first.experiment_id}/runs`, {
    cluster_id: first.clusters[0].cluster_id,
  });
  await succeeded(rest, id);
  second = await rest.get<Run>(`/runs/${id}`);
  await logIn(page);
  await page.goto(`/runs/${id}`);
  await ready(page);
  const section = page.getByRole("region", { name: "What changed since the run before" });
  await expect(section.getByText(/Both runs reached \d+ verdicts?/)).toBeVisible();
  await section.getByRole("link", { name: "The earlier run" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${first.id}`));
  await page.goBack();
  await section.getByRole("link", { name: "Compare the two" }).click();
  await expect(page).toHaveURL(/\/compare\?/);
});

/** What the server would say had a verdict turned and the kernel been another. */
async function withMuchToTell(page: Page): Promise<void> {
  const at = "2026-11-20T10:00:00Z";
  const run = { run_id: second.id, name: "nightly", finished_at: at };
  const since = { run_id: first.id, name: "nightly", finished_at: "2026-11-19T10:00:00Z" };
  const point = (mode: string) => ({ kube_proxy_mode: mode, path: "pod-pod", protocol: "tcp" });
  const metric = { metric: "throughput", subject: "", unit: "ratio", direction: "higher" };
  const turns = {
    turned: [
      {
        key: { ...metric, point: point("nftables"), against: point("iptables") },
        value: 0.7,
        low: 0.65,
        high: 0.75,
        n: 12,
        verdict: "worse",
        code: "effect",
        parameters: { before: "same" },
      },
    ],
    both: 6,
    undecided: 2,
  };
  const environment = [
    {
      field: "nodes.node-1.kernel",
      baseline: "6.12.41+deb13-amd64",
      contender: "6.18.0",
      axis: null,
    },
  ];
  const moved = {
    gate: "refused",
    tally: { better: 0, worse: 0, same: 0, undecided: 4 },
    figures: [],
    noise_floor: null,
  };
  const cluster = {
    cluster_id: second.clusters[0].cluster_id,
    name: "lab-frankfurt",
    kinds: [{ kind: "throughput", run, since, turns, environment }],
    latest: run,
    seen_at: at,
    since_measured: [
      { field: "kubernetes_version", baseline: "v1.34.1", contender: "v1.35.0", axis: null },
    ],
  };
  const answers = {
    "**/api/v1/overview/changes": { clusters: [cluster] },
    "**/api/v1/runs/*/changes*": { run, since, turns, environment, moved },
  };
  for (const [address, json] of Object.entries(answers)) {
    await page.route(address, (route) => route.fulfill({ json }));
  }
}

const HEADINGS = {
  en: ["What changed", "What changed since the run before"],
  zh: ["发生的变化", "与上一次运行相比的变化"],
} as const;

for (const colorScheme of ["light", "dark"] as const) {
  for (const lang of ["en", "zh"] as const) {
    test(`what changed is told, on a phone too, ${colorScheme}, ${lang}`, async ({ page }) => {
      await withMuchToTell(page);
      await page.emulateMedia({ colorScheme });
      await logIn(page);
      for (const [index, address] of ["/", `/runs/${second.id}`].entries()) {
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 844 });
          await page.goto(inLanguage(address, lang));
          await ready(page);
          const name = HEADINGS[lang][index];
          const section = page.getByRole("region", { name, exact: true });
          const turned = section.locator(`a[href*="${second.id}?tab=results"]`);
          await expect(turned).toBeVisible();
          await expect(section.getByText("6.18.0")).toBeVisible();
          await expectNoOverflow(page);
          await expectAccessible(page);
          await section.screenshot({ path: test.info().outputPath(`${index}-${width}.png`) });
        }
      }
    });
  }
}
