import { addresses } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { apiServer, holdBy } from "../scripted/cluster";
import { inEveryLook } from "./taken";

test.use({ expectedErrors: { patterns: [/4\d\d \(/, /net::ERR_/, /Failed to fetch/] } });

inEveryLook("every page", async (page, shot, rest) => {
  const all = { ...(await addresses(rest)), ...(await measured(rest)), ...(await asked(rest)) };
  for (const [name, path] of Object.entries(all)) {
    if (name !== "/login") await logIn(page);
    await page.goto(shot.at(path));
    await ready(page);
    await shot.take(name);
  }
});

inEveryLook("what is opened", async (page, shot, rest) => {
  const pages = await measured(rest);
  await logIn(page);
  const open = async (path: string | undefined) => {
    await page.goto(shot.at(path ?? ""));
    await ready(page);
  };
  const button = (name: RegExp) => page.getByRole("button", { name }).first();

  await open("/");
  const burger = button(/^(Open the navigation|打开导航)$/);
  if (await burger.isVisible()) {
    await burger.click();
    await shot.take("opened navigation");
  }
  await open("/");
  await page.locator("header button[aria-haspopup=menu]").last().click();
  await expect(page.getByRole("menu")).toBeVisible();
  await shot.take("opened account");

  await open(pages["service_scale comparison"]);
  const details = page.locator("tbody button[aria-expanded=false]").first();
  await details.click();
  await expect(page.locator("tbody td[colspan] caption").first()).toBeVisible();
  await details.scrollIntoViewIfNeeded();
  await shot.take("opened effect");
  await page.locator("main section button[aria-haspopup=menu]").first().click();
  await expect(page.getByRole("menu")).toBeVisible();
  await shot.take("opened chart menu");

  await open(`${pages["throughput results"]}&published=flannel-qperf`);
  const tables = page.locator("main input[value=table] + label").filter({ visible: true });
  for (const table of await tables.all()) {
    await table.click();
  }
  await expect(page.getByRole("table").first()).toBeVisible();
  await shot.take("opened chart tables");

  await open("/members");
  await page.locator("main button[aria-haspopup=menu]").last().click();
  await expect(page.getByRole("menu")).toBeVisible();
  await shot.take("opened member");
});

inEveryLook("on paper", async (page, shot, rest) => {
  await logIn(page);
  await page.emulateMedia({ media: "print" });
  for (const [name, path] of Object.entries({
    overview: "/",
    runs: "/runs",
    members: "/members",
    reference: "/references/iptables-ipvs-ladder",
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
  // The page asks again by itself once it can, and gets 401 without a login.
  await page.context().clearCookies();
  await page.context().setOffline(false);
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

/** The runs that `bench.pages` left: their names, and the modes that they are of. */
const LEFT = {
  throughput: ["What encapsulation costs", "encapsulation", "host-gw", "vxlan"],
  service_scale: ["kube-proxy's modes over Services", "kube_proxy_mode", "iptables", "nftables"],
  transport: ["What encapsulation costs a message", "encapsulation", "host-gw", "vxlan"],
} as const;

/** What pages show when they are asked for something. */
async function asked(rest: Rest): Promise<Record<string, string>> {
  const { items: clusters } = await rest.get<{ items: [{ id: string }] }>("/clusters");
  const { items: runs } = await rest.get<{ items: { id: string; kind: string }[] }>("/runs");
  const ladder = runs.find(({ kind }) => kind === "service_scale")?.id;
  const where = { kube_proxy_mode: "iptables", probe: "qps", target: "last" };
  const published = await rest.post<{ id: string }>("/comparisons", {
    baseline: { reference_id: "iptables-ipvs-ladder", where },
    contenders: [{ run_id: ladder, where }],
  });
  const sides = {
    baseline: { run: ladder, where: { kube_proxy_mode: "iptables" } },
    contenders: [{ run: ladder, where: { kube_proxy_mode: "nftables" } }],
  };
  const query = Object.entries(sides).map(
    ([name, side]) => `${name}=${encodeURIComponent(JSON.stringify(side))}`,
  );
  await rest.post("/tokens", { name: "CI", role: "operator", expires_in_days: 90 });
  const editor = "/experiments/new?template=vxlan_vs_host_gw";
  return {
    "cluster kubeconfig": "/clusters/new?step=kubeconfig",
    "experiment form": `${editor}&cluster=${clusters[0].id}`,
    "experiment yaml": `${editor}&view=yaml&cluster=${clusters[0].id}`,
    "experiment both": `${editor}&view=both`,
    "compare chosen": `/compare?${query.join("&")}`,
    "compare published": `/compare/${published.id}`,
    "results beside published": `/runs/${ladder}?tab=results&published=iptables-ipvs-ladder`,
  };
}

/** Pages of the runs that `bench.pages` left, their comparisons and their public links. */
async function measured(rest: Rest): Promise<Record<string, string>> {
  const { items: runs } = await rest.get<{ items: { id: string; name: string }[] }>(
    "/runs?limit=100",
  );
  const pages: Record<string, string> = {};
  const runOf = (wanted: string) => runs.find(({ name }) => name === wanted)?.id;
  const gone = runOf("On a cluster that went away");
  pages["failed run"] = `/runs/${gone}`;
  pages["failed run results"] = `/runs/${gone}?tab=results`;
  for (const [kind, [name, axis, one, other]] of Object.entries(LEFT)) {
    const run = runOf(name);
    const compared = await rest.post<{ id: string }>("/comparisons", {
      baseline: { run_id: run, where: { [axis]: one } },
      contenders: [{ run_id: run, where: { [axis]: other } }],
    });
    const share = (of: object) => rest.post<{ url: string }>("/snapshots", { title: axis, ...of });
    const { url: ofRun } = await share({ run_id: run });
    const { url: ofComparison } = await share({ comparison_id: compared.id });
    pages[`${kind} run`] = `/runs/${run}`;
    pages[`${kind} results`] = `/runs/${run}?tab=results`;
    pages[`${kind} comparison`] = `/compare/${compared.id}`;
    pages[`${kind} public run`] = new URL(ofRun).pathname;
    pages[`${kind} public comparison`] = new URL(ofComparison).pathname;
    pages[`${kind} embed`] = `${new URL(ofRun).pathname}/embed`;
  }
  return { ...pages, ...(await shared(rest)) };
}

/** The public links of an experiment that was run and of its cluster. */
async function shared(rest: Rest): Promise<Record<string, string>> {
  type Run = { experiment_id: string | null; clusters: [{ cluster_id: string | null }] };
  const { items } = await rest.get<{ items: Run[] }>("/runs?outcome=succeeded&limit=100");
  const run = items.find(({ experiment_id }) => experiment_id !== null);
  if (run === undefined) throw new Error("the setup leaves a run of an experiment");
  const { experiment_id, clusters } = run;
  const pages: Record<string, string> = {};
  for (const [name, subject] of Object.entries({
    experiment: { experiment_id },
    cluster: { cluster_id: clusters[0].cluster_id },
  })) {
    const { url } = await rest.post<{ url: string }>("/snapshots", { title: name, ...subject });
    const { pathname } = new URL(url);
    pages[`shared ${name}`] = pathname;
    pages[`shared ${name} embed`] = `${pathname}/embed`;
  }
  return pages;
}
