import { expect, loggedIn, type Rest, stacks, test } from "../fixtures";
import { until } from "../until";
import { succeeded } from "./runs";

/** Each stack has a cluster with a run that succeeded, for the tests that need something there. */
test("a cluster with a run that succeeded", async ({ playwright }) => {
  await Promise.all(
    stacks().map(async ({ E2E_URL, E2E_KUBECONFIG }) => {
      const context = await playwright.request.newContext({ baseURL: E2E_URL });
      await measure(await loggedIn(context), E2E_KUBECONFIG);
      await context.dispose();
    }),
  );
});

/** Registers the scripted cluster and measures it once. */
async function measure(rest: Rest, kubeconfig: string | undefined): Promise<void> {
  const cluster = await rest.post<{ id: string }>("/clusters", {
    name: "lab-frankfurt",
    kubeconfig,
    allow_mode_switch: true,
  });
  await rest.post(`/clusters/${cluster.id}/preflight`);
  await until("the preflight", 120, async () => {
    const { preflight_state: state, preflight_error: why } = await rest.get(
      `/clusters/${cluster.id}`,
    );
    expect(state, JSON.stringify(why)).not.toBe("failed");
    return state === "succeeded";
  });
  const experiment = await rest.post<{ id: string }>("/experiments", {
    name: "What kube-proxy's mode costs",
    kind: "throughput",
    axes: {
      kube_proxy_mode: ["iptables", "nftables"],
      path: ["node-node", "pod-pod"],
      protocol: ["tcp"],
      streams: [1],
    },
    repetition: { profile: "quick", trials: 2, seconds: 1, rounds: 1, warmup: 0 },
  });
  const run = await rest.post<{ id: string }>(`/experiments/${experiment.id}/runs`, {
    cluster_id: cluster.id,
  });
  await succeeded(rest, run.id);
}
