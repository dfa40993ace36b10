import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { FullConfig } from "@playwright/test";
import { REPOSITORY } from "../cluster";
import { ended, IMAGE, type Podmeter, podmeterUp } from "../stack";
import { signOnProvider } from "./provider";

/** A stack for each worker, so that no two of them share anything; E2E_STACKS tells of all. */
export default async function stacks({ workers }: FullConfig): Promise<() => Promise<void>> {
  const begun = await Promise.allSettled(Array.from({ length: workers }, stack));
  const up = begun.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const end = async () => {
    await Promise.all(up.map((one) => one.end()));
  };
  const failed = begun.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    await end();
    throw failed.reason;
  }
  process.env.E2E_STACKS = JSON.stringify(up.map(({ told }) => told));
  return end;
}

/**
 * A stack with a single sign-on provider and, instead of the testbed, a scripted cluster: no root,
 * no Kubernetes. E2E_KUBECONFIG and its process, E2E_CLUSTER_PID, are set as well.
 */
async function stack(): Promise<Podmeter> {
  const { cluster, kubeconfig } = await scripted();
  const provider = await signOnProvider();
  const endOthers = async () => {
    provider.end();
    await ended(cluster);
  };
  try {
    const { told, end } = await podmeterUp({
      BENCH_IMAGE: IMAGE,
      PODMETER_ALLOWED_CLUSTER_NETWORKS: "127.0.0.0/8",
      ...provider.settings,
    });
    provider.serve(told.E2E_URL);
    const ofCluster = { E2E_KUBECONFIG: kubeconfig, E2E_CLUSTER_PID: String(cluster.pid) };
    return {
      told: { ...told, ...ofCluster },
      end: async () => {
        await end();
        await endOthers();
      },
    };
  } catch (error) {
    await endOthers();
    throw error;
  }
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
