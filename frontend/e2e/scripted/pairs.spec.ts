import { expect, logIn, ready, test } from "../fixtures";
import { lookAt } from "./looks";
import { measured } from "./runs";

/** Every pair of the scripted cluster's two nodes, both ways. */
const PAIRS = {
  name: "Every pair of nodes",
  kind: "throughput",
  axes: { node_pair: ["all"], path: ["node-node", "pod-pod"], protocol: ["tcp"], streams: [1] },
  repetition: { profile: "quick", trials: 1, seconds: 1, rounds: 6, warmup: 0 },
};

test("links are read off cells, from node to node, by keyboard too", async ({
  page,
  rest,
}, info) => {
  const id = await measured(rest, PAIRS);
  const path = `/runs/${id}?tab=results`;
  await logIn(page);
  await page.goto(path);
  await ready(page);
  // A chart for each path, with a cell for each way between the two nodes.
  const links = page.getByRole("region", { name: /^Throughput · Pod → Pod/ });
  const cells = links.getByRole("img", { name: /^node-\d to node-\d; [\d.]+.Gbit\/s; .*n = 6/ });
  await expect(cells).toHaveCount(2);
  await expect(links.getByText(/further from the best link \(higher is better\)/)).toBeVisible();
  await links.getByRole("img", { name: /^node-1 to node-2;/ }).focus();
  await page.keyboard.press("ArrowDown");
  // Down of it lies a node's way to itself, which is no link.
  await expect(links.getByRole("img", { name: /^node-1 to node-2;/ })).toBeFocused();
  await links.getByRole("img", { name: /^node-2 to node-1;/ }).focus();
  await expect(links.getByRole("img", { name: /^node-2 to node-1;/ })).toBeFocused();
  await links.getByText("Table", { exact: true }).click();
  await expect(links.getByRole("row")).toHaveCount(3);
  // Where nothing differs nothing is named.
  const findings = page.getByRole("region", { name: "Findings" });
  await expect(findings.getByText(/no link stands out of 2/i).first()).toBeVisible();
  await lookAt(page, path, page.getByRole("img", { name: /node-2.*Gbit/ }), info);
  // Anyone who is sent the link learns no node's name.
  const { url } = await rest.post<{ url: string }>("/snapshots", { title: "Links", run_id: id });
  await page.goto(url);
  await ready(page);
  await expect(page.getByRole("img", { name: /^node-A to node-B; / }).first()).toBeVisible();
  await expect(page.getByText("node-1")).toHaveCount(0);
});

test("pairs are chosen in the form, in both languages and themes", async ({ page, rest }, info) => {
  await logIn(page);
  const path = "/experiments/new?template=every_pair_of_nodes";
  await page.goto(path);
  await ready(page);
  const pairs = page.getByRole("radiogroup", { name: /^(Pair of nodes|节点对)$/ });
  await expect(pairs.getByRole("radio", { name: "Every pair" })).toBeChecked();
  // The plan is that of the only cluster, so it names its pairs.
  const planned = page.getByRole("columnheader", { name: /^node-\d → node-\d$/ });
  await expect(planned).toHaveCount(2);
  await pairs.getByText("A sample").click();
  await page.getByLabel("Pairs in the sample").fill("1");
  await expect(page.getByText(/^In all cases: .*node-\d → node-\d/)).toBeVisible();
  await pairs.getByText("One pair").click();
  await expect(page.getByLabel("Pairs in the sample")).toHaveCount(0);
  const { items } = await rest.get<{ items: { id: string }[] }>("/clusters");
  expect(items.length).toBeGreaterThan(0);
  await lookAt(page, path, pairs, info);
});
