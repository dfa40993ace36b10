import { list, plain, text } from "~/api/untyped";
import type { Block, Case, LogLine } from "~/queries/runs";
import { inModes } from "./progress";

/** The mode of a node on one axis, as the run brought it about. */
export interface NodeMode {
  axis: string;
  value: string;
  /** `switching` until the node shows it. */
  state: "switching" | "in_effect";
}

export interface NodeNow {
  node: string;
  roles: ("client" | "server")[];
  modes: NodeMode[];
}

/**
 * What the measured nodes are set to: each axis as the run's log says that it was last switched,
 * with nodes that kept their mode left out of it.
 */
export function nodesNow(
  block: Pick<Block, "modes">,
  cases: readonly Case[],
  log: readonly LogLine[],
): NodeNow[] {
  const nodes = new Map<string, NodeNow>();
  const add = (names: string | null, role: "client" | "server") => {
    // Several where the client changes its node by round.
    for (const node of names?.split(", ") ?? []) {
      const known = nodes.get(node) ?? { node, roles: [], modes: [] };
      if (!known.roles.includes(role)) known.roles.push(role);
      nodes.set(node, known);
    }
  };
  // Cases of a block that is being set up have no place yet: those of others are on the same nodes.
  const placed = cases.filter(({ placement }) => placement !== null);
  const own = placed.filter(({ point }) => inModes(point, block.modes));
  for (const { placement } of own.length > 0 ? own : placed) {
    add(text(placement?.client_node), "client");
    add(text(placement?.server_node), "server");
  }
  for (const axis of Object.keys(block.modes)) {
    const last = log.findLast(
      ({ message }) => SWITCHES.has(message.code) && message.params.axis === axis,
    );
    const value = plain(last?.message.params.value);
    if (last === undefined || value === null) continue;
    const { code, params } = last.message;
    if (code === ASSIGNED) {
      for (const one of nodes.values()) {
        const own = log.findLast(({ message }) => isOf(message, axis, one.node));
        const mode = plain(own?.message.params.value);
        if (mode !== null) one.modes.push({ axis, value: mode, state: "in_effect" });
      }
      continue;
    }
    const only = code === "log_switched_on" ? list(params.nodes) : null;
    for (const one of nodes.values()) {
      if (only !== null && !only.includes(one.node)) continue;
      one.modes.push({ axis, value, state: code === "log_switching" ? "switching" : "in_effect" });
    }
  }
  return [...nodes.values()].toSorted((one, other) => one.node.localeCompare(other.node));
}

/** A node was given a mode of its own, beside others. */
const ASSIGNED = "log_assigned";
const SWITCHES = new Set(["log_switching", "log_switched", "log_switched_on", ASSIGNED]);

function isOf({ code, params }: LogLine["message"], axis: string, node: string): boolean {
  return code === ASSIGNED && params.axis === axis && params.node === node;
}
