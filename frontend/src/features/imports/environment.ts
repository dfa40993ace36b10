import type { Environment } from "~/queries/imports";

/** What is asked of where it was measured, in one line each. */
export const FIELDS = [
  "cluster",
  "kubernetes_version",
  "cni",
  "cni_version",
  "kernel",
  "os",
  "cpu",
  "nic",
  "pod_mtu",
  "client_node",
  "server_node",
  "measured_on",
  "source",
] as const satisfies readonly (keyof Environment)[];

const NAMES = [...FIELDS, "notes"] as const;

/** Nothing is known yet. */
export const NOTHING_GIVEN = Object.fromEntries(NAMES.map((name) => [name, ""])) as Environment;

/** What outputs say themselves, where nothing was written. */
export function withReported(
  written: Environment,
  told: Readonly<Record<string, string>>,
): Environment {
  const more = NAMES.filter((name) => written[name] === "" && told[name] !== undefined);
  return { ...written, ...Object.fromEntries(more.map((name) => [name, told[name]])) };
}
