import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { REPOSITORY } from "../cluster";
import { ended, IMAGE, podmeterUp } from "../stack";
import { signOnProvider } from "./provider";

/**
 * A stack of its own with a single sign-on provider and, instead of the testbed, a scripted
 * cluster: no root, no Kubernetes. Its kubeconfig is in the environment, E2E_KUBECONFIG, and its
 * process, E2E_CLUSTER_PID.
 */
export default async function stack(): Promise<() => Promise<void>> {
  const { cluster, kubeconfig } = await scripted();
  Object.assign(process.env, {
    E2E_KUBECONFIG: kubeconfig,
    E2E_CLUSTER_PID: String(cluster.pid),
  });
  const provider = await signOnProvider();
  const end = await podmeterUp({
    BENCH_IMAGE: IMAGE,
    PODMETER_ALLOWED_CLUSTER_NETWORKS: "127.0.0.0/8",
    ...provider.settings,
  });
  provider.serve(String(process.env.E2E_URL));
  return async () => {
    await end();
    provider.end();
    await ended(cluster);
  };
}

async function scripted(): Promise<{ cluster: ChildProcess; kubeconfig: string }> {
  const cluster = spawn(
    join(REPOSITORY, ".venv/bin/python"),
    ["-m", "bench.scripted", "--seconds", "0.02"],
    {
      cwd: REPOSITORY,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  for await (const line of createInterface({ input: cluster.stdout })) {
    return { cluster, kubeconfig: line };
  }
  throw new Error("the scripted cluster ended");
}
