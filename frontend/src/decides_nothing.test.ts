import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";

/** What a cluster can do is the server's to judge: these pages show what its preflight saw. */
const SHOW_IT = ["features/clusters/", "features/public/"];
const ASKS = /\.capabilities\b|\bwhy_unfit\b|\bfree_cluster_ips\b|\bfree_node_ports\b/;
/** What decides rather than shows: whether a run may start, or a value be chosen. */
const DECIDES = /whyNot|impossible|disabled/;

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.startsWith("api/"))
  .map(
    (path) => [relative(".", path), readFileSync(join(import.meta.dirname, path), "utf8")] as const,
  );

it("sees the pages that show it", () => {
  expect(
    sources.filter(([path, text]) => ASKS.test(text) && path.startsWith("features/clusters/"))
      .length,
  ).toBeGreaterThan(2);
});

it("decides nothing from what a preflight saw", () => {
  const elsewhere = sources.filter(
    ([path, text]) => ASKS.test(text) && !SHOW_IT.some((folder) => path.startsWith(folder)),
  );
  expect(elsewhere.map(([path]) => path)).toEqual([]);
  const deciding = sources.flatMap(([path, text]) =>
    text
      .split("\n")
      .filter((line) => ASKS.test(line) && DECIDES.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(deciding).toEqual([]);
});

it("judges a plan by its obstacles alone, not by the cluster's settings", () => {
  const experiments = sources.filter(([path]) => path.startsWith("features/experiments/"));
  const asking = experiments.filter(([, text]) =>
    /\.(allow_mode_switch|allow_host_names|needs_restore|restored_elsewhere|cluster_uid)\b/.test(
      text,
    ),
  );
  expect(asking.map(([path]) => path)).toEqual([]);
});
