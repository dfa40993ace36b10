import { expect, test } from "../fixtures";
import { until } from "../until";
import { succeeded } from "./runs";

/** Registers the scripted cluster and measures it once, for the tests that need something there. */
test("a cluster with a run that succeeded", async ({ rest }) => {
  test.setTimeout(300_000);
  const cluster = await rest.post<{ id: string }>("/clusters", {
    name: "lab-frankfurt",
    kubeconfig: process.env.E2E_KUBECONFIG,
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
});
