import type { Page } from "@playwright/test";
import { addresses, inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";
import { sampled } from "../sampling";
import { apiServer, withoutNftables } from "./cluster";
import { ended } from "./runs";

/** In Chinese no English sentence is left: on no page, and in nothing that goes wrong. */
test.use({ expectedErrors: { patterns: [/4\d\d \(/] } });
test.describe.configure({ mode: "serial" });

/** How many pages `make test` reads. */
const SAMPLE = 6;

/** Four words of Latin letters in a row are a sentence, unless people or tools wrote them, or a source that is quoted. */
const SENTENCE = /(?:[A-Za-z][a-z']+[ ,;]+){3,}[a-z']+/;
/** Of what Podmeter says in one word: how long, since when, in which state; and that it does not know. */
const WORD =
  /(?:^|[^\w-])(?:unknown|ago|min|h|(?:minute|hour|second|day)s?|queued|running|finished|succeeded|cancelled|better|worse|undecided)(?:$|[^\w-])/i;

async function english(page: Page, rest: Rest): Promise<string[]> {
  // What people called something; a shared link's title is the sharer's, in the language of then.
  const lists = ["/experiments?limit=100", "/runs?limit=100", "/snapshots?limit=100"];
  const named = await Promise.all(
    lists.map(
      async (path) => (await rest.get<{ items: { name?: string; title?: string }[] }>(path)).items,
    ),
  );
  const names = named.flat().flatMap(({ name, title }) => name ?? title ?? []);
  const text = await page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement;
    const written = "code, pre, .cm-editor, textarea, style, script";
    for (const quoted of copy.querySelectorAll(`${written}, [lang]`)) {
      quoted.remove();
    }
    document.body.append(copy);
    const shown = copy.innerText;
    copy.remove();
    return shown;
  });
  const own = names.reduce((left, name) => left.replaceAll(name, ""), text);
  return own.split("\n").filter((line) => SENTENCE.test(line) || WORD.test(line));
}

test("no page has an English sentence", { tag: "@journey" }, async ({ page, rest }) => {
  await logIn(page);
  for (const [name, path] of sampled(Object.entries(await addresses(rest)), SAMPLE, "chinese")) {
    if (name === "/login") continue;
    await page.goto(inLanguage(path, "zh"));
    await ready(page);
    expect.soft(await english(page, rest), name).toEqual([]);
  }
});

test("nor has what is shared", async ({ browser, rest }) => {
  const { items: runs } = await rest.get<{ items: { id: string; experiment_id: string | null }[] }>(
    "/runs?outcome=succeeded&kind=throughput",
  );
  const run = runs.find(({ experiment_id }) => experiment_id);
  const { items: clusters } = await rest.get<{ items: [{ id: string }] }>("/clusters?sort=oldest");
  const compared = await rest.post<{ id: string }>("/comparisons", {
    baseline: { run_id: run?.id, where: { kube_proxy_mode: "iptables" } },
    contenders: [{ run_id: run?.id, where: { kube_proxy_mode: "nftables" } }],
  });
  const context = await browser.newContext({ locale: "zh-CN" });
  const visitor = await context.newPage();
  for (const subject of [
    { run_id: run?.id },
    { comparison_id: compared.id },
    { experiment_id: run?.experiment_id },
    { cluster_id: clusters[0].id },
  ]) {
    const { url } = await rest.post<{ url: string }>("/snapshots", { title: "分享", ...subject });
    for (const path of [new URL(url).pathname, `${new URL(url).pathname}/embed`]) {
      // By what the browser asks for: nobody has chosen a language.
      await visitor.goto(path);
      await ready(visitor);
      await expect(visitor.locator("html")).toHaveAttribute("lang", "zh-Hans");
      expect.soft(await english(visitor, rest), JSON.stringify(subject)).toEqual([]);
    }
  }
  await visitor.goto("/s/nobody-has-this-link");
  await expect(visitor.getByText("没有此快照").first()).toBeVisible();
  await context.close();
});

const REFUSED = [
  {
    why: /封装方式 Geneve 在 .* 上不受支持/,
    spec: {
      kind: "throughput",
      axes: { encapsulation: ["geneve"], path: ["pod-pod"], protocol: ["tcp"], streams: [1] },
    },
  },
  {
    why: /集群外/,
    spec: { kind: "request_latency", axes: { path: ["outside-nodeport"] } },
  },
];

test("nor has what stands against a run", async ({ page, rest }) => {
  await logIn(page);
  for (const { spec, why } of REFUSED) {
    await page.goto("/experiments/new?template=blank&view=yaml&lang=zh");
    await ready(page);
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(JSON.stringify({ name: "x", ...spec }));
    await expect(page.getByText(why).first()).toBeVisible();
    const text = page.locator(".cm-content");
    expect.soft(await english(page, rest), await text.innerText()).toEqual([]);
  }
});

test("nor has a run that failed", { tag: "@journey" }, async ({ page, rest }) => {
  // The scripted iperf3 knows no run of four streams: what it prints is not what was asked for.
  const { run, outcome } = await ended(rest, {
    name: "streams",
    kind: "throughput",
    axes: { path: ["pod-pod"], protocol: ["tcp"], streams: [4] },
    repetition: { profile: "quick", trials: 2, seconds: 1, rounds: 2, warmup: 0 },
  });
  expect(outcome).toBe("failed");
  await logIn(page);
  for (const tab of ["", "cases", "results", "log", "environment", "specification"]) {
    await page.goto(inLanguage(`/runs/${run}${tab && `?tab=${tab}`}`, "zh"));
    await ready(page);
    expect.soft(await english(page, rest), tab).toEqual([]);
  }
});

test("nor has a cluster whose mode cannot be switched", async ({ page, rest }) => {
  const { items: clusters } = await rest.get<{ items: [{ id: string }] }>("/clusters?sort=oldest");
  await withoutNftables(page);
  await logIn(page);
  const why = page.getByText(/node-2 的内核没有 nf_tables/).first();
  for (const path of [
    `/clusters/${clusters[0].id}?lang=zh`,
    "/experiments/new?template=throughput&lang=zh",
    "/experiments/new?template=blank&view=yaml&lang=zh",
  ]) {
    await page.goto(path);
    await ready(page);
    if (path.includes("yaml")) {
      await page.locator(".cm-content").click();
      await page.keyboard.press("ControlOrMeta+a");
      const axes = "axes:\n  kube_proxy_mode: [iptables, nftables]\n";
      await page.keyboard.insertText(`name: x\nkind: throughput\n${axes}`);
    }
    await expect(why).toBeVisible();
    expect.soft(await english(page, rest), path).toEqual([]);
  }
});

test("nor has what goes wrong", async ({ page, rest }) => {
  await logIn(page);
  await test.step("a specification", async () => {
    await page.goto("/experiments/new?template=blank&view=yaml&lang=zh");
    await ready(page);
    for (const text of ["kind: throughput\n", "kind: [", "- a", "name: x\nkind: nonsense\n"]) {
      await page.locator(".cm-content").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
      await expect(page.getByText(/第 \d+ 行/).first()).toBeVisible();
      expect.soft(await english(page, rest), text).toEqual([]);
    }
  });
  await test.step("a kubeconfig", async () => {
    await page.goto("/clusters/new?step=kubeconfig&lang=zh");
    await ready(page);
    const field = page.getByRole("textbox", { name: "kubeconfig" });
    for (const text of [
      "",
      "{}",
      "apiVersion: v1\nkind: Config\nusers: [{name: a, user: {exec: {}}}]",
    ]) {
      await page.getByLabel("名称").fill("x");
      await field.fill(text);
      await page.getByRole("button", { name: "注册集群" }).click();
      await expect(page.getByRole("alert").first()).toBeVisible();
      expect.soft(await english(page, rest), text).toEqual([]);
    }
  });
  await test.step("a preflight", async () => {
    await apiServer(false);
    try {
      await page.goto("/clusters?lang=zh");
      await ready(page);
      await page.getByRole("button", { name: "预检" }).click();
      await expect(page.getByText(/拒绝连接/).first()).toBeVisible();
      expect.soft(await english(page, rest)).toEqual([]);
    } finally {
      await apiServer(true);
    }
    await page.getByRole("button", { name: "预检" }).click();
    await expect(page.getByText("预检成功")).toBeVisible({ timeout: 60_000 });
  });
});
