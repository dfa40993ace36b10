import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

/** The testbed as its owner sees it: kubectl with every right. */
export const REPOSITORY = resolve(import.meta.dirname, "../..");

export function run(program: string, words: readonly string[], input?: string): string {
  return execFileSync(program, words, {
    encoding: "utf8",
    cwd: REPOSITORY,
    input,
    stdio: ["pipe", "pipe", "inherit"],
    maxBuffer: 32 * 1024 * 1024,
  });
}

export function kubectl(words: readonly string[], input?: string): string {
  return run(join(REPOSITORY, ".venv/bin/podmeter-testbed"), ["kubectl", ...words], input);
}

/** What an owner does with the manifest that the wizard shows; the kubeconfig that comes of it. */
export function kubeconfigOf(manifest: string): string {
  kubectl(["apply", "--filename", "-"], manifest);
  const view = ["config", "view", "--minify", "--flatten", "--raw", "--output", "json"];
  const own = JSON.parse(kubectl(view));
  const token = kubectl(["create", "token", "podmeter", "--namespace", "podmeter"]).trim();
  const { server, "certificate-authority-data": authority } = own.clusters[0].cluster;
  const name = "testbed";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
