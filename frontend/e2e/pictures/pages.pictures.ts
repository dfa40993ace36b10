import { addresses } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { apiServer, holdBy } from "../scripted/cluster";
import { inEveryLook } from "./taken";

test.use({ expectedErrors: { patterns: [/4\d\d \(/, /net::ERR_/, /Failed to fetch/] } });

inEveryLook("every page", async (page, shot, rest) => {
  const all = { ...(await addresses(rest)), ...(await measured(rest)) };
  for (const [name, path] of Object.entries(all)) {
    if (name !== "/login") await logIn(page);
    await page.goto(shot.at(path));
    await ready(page);
    await shot.take(name);
  }
});

inEveryLook("on paper", async (page, shot, rest) => {
  await logIn(page);
  await page.emulateMedia({ media: "print" });
  for (const [name, path] of Object.entries({
    overview: "/",
    runs: "/runs",
    ...(await measured(rest)),
  })) {
    await page.goto(shot.at(path));
    await ready(page);
    await shot.take(`print ${name}`);
  }
});

inEveryLook("what goes wrong", async (page, shot, rest) => {
  await logIn(page);
  await page.goto(shot.at("/runs/notauuid"));
  await ready(page);
  await shot.take("wrong no such run");
  await page.goto(shot.at("/clusters"));
  await ready(page);
  await page.context().setOffline(true);
  await expect(page.getByRole("status").filter({ visible: true }).first()).toBeVisible();
  await shot.take("wrong offline");
  await page.context().setOffline(false);
  await page.context().clearCookies();
  await page.getByRole("link", { name: "lab-frankfurt" }).click();
  await expect(page.locator("input[type=password]")).toBeVisible();
  await shot.take("wrong expired");
  await logIn(page);

  const { items: clusters } = await rest.get<{ items: [{ id: string }] }>("/clusters");
  const cluster = clusters[0].id;
  await apiServer(false);
  try {
    await rest.post(`/clusters/${cluster}/preflight`);
    await expect
      .poll(async () => (await rest.get(`/clusters/${cluster}`)).preflight_state)
      .toBe("failed");
    for (const path of ["/", "/clusters", `/clusters/${cluster}`]) {
      await page.goto(shot.at(path));
      await ready(page);
      await shot.take(
        `wrong preflight ${path.split("/", 2).join("/")}${path.length > 12 ? " one" : ""}`,
      );
    }
  } finally {
    await apiServer(true);
  }
  await rest.post(`/clusters/${cluster}/preflight`);
  await expect
    .poll(async () => (await rest.get(`/clusters/${cluster}`)).preflight_state, { timeout: 60_000 })
    .toBe("succeeded");

  await holdBy("77f00000abcd/9", new Date("2026-01-02T03:04:05Z"));
  const { items: experiments } = await rest.get<{ items: [{ id: string }] }>("/experiments");
  const run = await rest.post<{ id: string }>(`/experiments/${experiments[0].id}/runs`, {
    cluster_id: cluster,
  });
  try {
    await expect
      .poll(async () => (await rest.get(`/runs/${run.id}`)).reason, { timeout: 60_000 })
      .not.toBeNull();
    for (const [name, path] of [
      ["run", `/runs/${run.id}`],
      ["overview", "/"],
      ["runs", "/runs"],
    ] as const) {
      await page.goto(shot.at(path));
      await ready(page);
      await shot.take(`waiting ${name}`);
    }
  } finally {
    await rest.post(`/runs/${run.id}/cancel`);
    await holdBy(null, new Date());
  }
  await expect
    .poll(async () => (await rest.get(`/runs/${run.id}`)).state, { timeout: 60_000 })
    .toBe("finished");
  await page.goto(shot.at(`/runs/${run.id}`));
  await ready(page);
  await shot.take("cancelled run");
});

interface Found {
  id: string;
  kind: string;
  name: string;
  outcome: string | null;
}

const AXES = {
  throughput: ["encapsulation", "host-gw", "vxlan"],
  service_scale: ["kube_proxy_mode", "iptables", "nftables"],
} as const;

/** Pages of the runs that `bench.pages` left, their comparisons and their public links. */
async function measured(rest: Rest): Promise<Record<string, string>> {
  const { items: runs } = await rest.get<{ items: Found[] }>("/runs?limit=100");
  const pages: Record<string, string> = {};
  const gone = runs.find(({ name }) => name === "On a cluster that went away");
  pages["failed run"] = `/runs/${gone?.id}`;
  pages["failed run results"] = `/runs/${gone?.id}?tab=results`;
  for (const [kind, [axis, one, other]] of Object.entries(AXES)) {
    const run = runs.find(
      (at) =>
        at.kind === kind &&
        / costs$|over Services/.test(at.name) &&
        !at.name.includes("mode costs"),
    );
    const compared = await rest.post<{ id: string }>("/comparisons", {
      baseline: { run_id: run?.id, where: { [axis]: one } },
      contenders: [{ run_id: run?.id, where: { [axis]: other } }],
    });
    const share = (of: object) => rest.post<{ url: string }>("/snapshots", { title: axis, ...of });
    const { url: ofRun } = await share({ run_id: run?.id });
    const { url: ofComparison } = await share({ comparison_id: compared.id });
    pages[`${kind} run`] = `/runs/${run?.id}`;
    pages[`${kind} results`] = `/runs/${run?.id}?tab=results`;
    pages[`${kind} comparison`] = `/compare/${compared.id}`;
    pages[`${kind} public run`] = new URL(ofRun).pathname;
    pages[`${kind} public comparison`] = new URL(ofComparison).pathname;
  }
  return pages;
}
