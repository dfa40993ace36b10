import { request } from "node:https";
import { connect } from "node:net";
import type { Page, Route } from "@playwright/test";
import { until } from "../until";

/** The scripted cluster as its owner has it: what is in it, and its API server's life. */
interface Kubeconfig {
  clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
  users: [{ user: { token: string } }];
}

function kubeconfig() {
  const { clusters, users } = JSON.parse(process.env.E2E_KUBECONFIG ?? "{}") as Kubeconfig;
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  return { server, ca: Buffer.from(authority, "base64"), token: users[0].user.token };
}

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/podmeter/leases";

/** Another Podmeter's run has the cluster from `since` on; null: nobody has. */
export async function holdBy(holder: string | null, since: Date): Promise<void> {
  await ask("DELETE", `${LEASES}/podmeter-run`);
  if (holder === null) return;
  const moment = (at: Date) => at.toISOString().replace("Z", "000Z");
  await ask("POST", LEASES, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "podmeter-run", namespace: "podmeter" },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: 3600,
      acquireTime: moment(since),
      renewTime: moment(new Date()),
    },
  });
}

/** What the API says of a node without nf_tables, in the languages that it renders. */
const WITHOUT_NFTABLES = {
  en: {
    why: "the kernel of node-2 has no nf_tables module, or is older than 5.13",
    cause: (cluster: string) => `kube-proxy mode nftables is not available on ${cluster}: `,
    remedy: "run Linux 5.13 or newer with nf_tables on node-2, or remove nftables",
  },
  zh: {
    why: "node-2 的内核没有 nf_tables 模块，或版本低于 5.13",
    cause: (cluster: string) => `kube-proxy 模式 nftables 在 ${cluster} 上不可用：`,
    remedy: "在 node-2 上运行带有 nf_tables 的 Linux 5.13 或更高版本，或移除 nftables",
  },
};

/** The cluster with what its preflight found changed: what it cannot do is for the UI to obey. */
export async function withoutNftables(page: Page): Promise<void> {
  const inLanguage = (route: Route) => {
    const language = route.request().headers()["accept-language"];
    const texts = WITHOUT_NFTABLES[language?.startsWith("zh") ? "zh" : "en"];
    const why = { code: "kernel_no_nftables", params: { nodes: ["node-2"] }, text: texts.why };
    return { ...texts, why };
  };
  await page.route(/\/api\/v1\/clusters(\?|\/[0-9a-f-]{36}$)/, async (route) => {
    const { why } = inLanguage(route);
    const answer = await route.fetch();
    const found = await answer.json();
    for (const cluster of found.items ?? [found]) {
      cluster.capabilities.modes.kube_proxy_mode.values.nftables = why;
    }
    await route.fulfill({ response: answer, json: found });
  });
  await page.route(/\/api\/v1\/experiments\/plan/, async (route) => {
    const { why, cause, remedy } = inLanguage(route);
    const answer = await route.fetch();
    if (!answer.ok()) return route.fulfill({ response: answer });
    const found = await answer.json();
    const id = new URL(route.request().url()).searchParams.get("cluster_id");
    const cluster = (await (await page.request.get(`/api/v1/clusters/${id}`)).json()).name;
    const axis = "kube_proxy_mode";
    const value = "nftables";
    const obstacle = {
      ...{ cluster, axis, value, code: "mode_unavailable", level: "refused" },
      ...{ subject: null, fix: null },
      cause: {
        code: "mode_unavailable",
        params: { axis, value, cluster, why },
        text: cause(cluster) + why.text,
      },
      remedy: { code: "fix_kernel", params: { nodes: ["node-2"], value }, text: remedy },
    };
    const asked = found.cases.some(({ point }: { point: object }) =>
      Object.entries(point).some(([name, one]) => name === axis && one === value),
    );
    (asked ? found.obstacles : found.unavailable).push(obstacle);
    await route.fulfill({ response: answer, json: found });
  });
}

/** Ends its API server, whose port refuses connections then, or lets it listen again. */
export async function apiServer(listens: boolean): Promise<void> {
  process.kill(Number(process.env.E2E_CLUSTER_PID), listens ? "SIGUSR2" : "SIGUSR1");
  const { hostname, port } = new URL(kubeconfig().server);
  await until(`its port to ${listens ? "listen" : "refuse"}`, 60, async () => {
    return (await answers(hostname, Number(port))) === listens;
  });
}

async function answers(host: string, port: number): Promise<boolean> {
  return await new Promise((told) => {
    const socket = connect(port, host);
    socket.on("connect", () => {
      socket.destroy();
      told(true);
    });
    socket.on("error", () => told(false));
  });
}

async function ask(method: string, path: string, body?: object): Promise<void> {
  const { server, ca, token } = kubeconfig();
  const text = body === undefined ? "" : JSON.stringify(body);
  await new Promise<void>((done, failed) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      Connection: "close",
    };
    const asked = request(`${server}${path}`, { method, ca, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => {
        const { statusCode = 0 } = answer;
        if (statusCode < 300 || (method === "DELETE" && statusCode === 404)) done();
        else failed(new Error(`${method} ${path}: ${statusCode}`));
      });
    });
    asked.on("error", failed);
    asked.end(text);
  });
}
