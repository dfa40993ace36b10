import { type Json, list, number, record, text } from "~/api/untyped";

/** What a fingerprint adds to what the API tells of a node. */
export interface NodeFacts {
  memoryBytes: number | null;
  cpuModel: string | null;
  hypervisor: string | null;
  iptablesBackend: string | null;
  nics: string[];
  /** By device, in bytes. */
  mtus: [device: string, mtu: number][];
  /** By device, what limits or delays what leaves by it. */
  shaping: [device: string, by: string][];
}

/** By node's name. */
export function readNodeFacts(content: Json): Map<string, NodeFacts> {
  return new Map(
    list(content.nodes).map((one) => {
      const node = record(one);
      return [text(node.name) ?? "?", readOne(node)] as const;
    }),
  );
}

function readOne(node: Json): NodeFacts {
  return {
    memoryBytes: number(node.memory_bytes),
    cpuModel: text(node.cpu_model),
    hypervisor: text(node.hypervisor),
    iptablesBackend: text(node.iptables_backend),
    nics: list(node.nics).flatMap((nic) => text(nic) ?? []),
    mtus: Object.entries(record(node.mtus)).flatMap(([device, mtu]) =>
      typeof mtu === "number" ? [[device, mtu] as [string, number]] : [],
    ),
    shaping: Object.entries(record(node.shaping)).flatMap(([device, by]) =>
      typeof by === "string" ? [[device, by] as [string, string]] : [],
    ),
  };
}
