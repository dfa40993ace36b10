import { expect, it } from "vitest";
import type { Case, LogLine } from "~/queries/runs";
import { nodesNow } from "./node_modes";

const line = (code: string, params: LogLine["message"]["params"]): LogLine => ({
  id: 1,
  attempt: 1,
  level: "info",
  created_at: "2026-11-28T10:00:00Z",
  message: { code, params, text: code },
});
const placed = (mode: string): Case => ({
  id: 1,
  key: mode,
  position: 0,
  once: false,
  status: "running",
  reason: null,
  fingerprint_id: null,
  point: { kube_proxy_mode: mode },
  placement: { client_node: "worker-2", server_node: "worker-1" },
});
const block = { modes: { kube_proxy_mode: "ipvs" } };
const cases = [placed("iptables")];

it("shows a node as switching until the log says that every node shows the mode", () => {
  const begun = [line("log_switching", { axis: "kube_proxy_mode", value: "ipvs" })];
  expect(nodesNow(block, cases, begun)).toEqual([
    {
      node: "worker-1",
      roles: ["server"],
      modes: [{ axis: "kube_proxy_mode", value: "ipvs", state: "switching" }],
    },
    {
      node: "worker-2",
      roles: ["client"],
      modes: [{ axis: "kube_proxy_mode", value: "ipvs", state: "switching" }],
    },
  ]);
  const done = [...begun, line("log_switched", { axis: "kube_proxy_mode", value: "ipvs" })];
  const states = nodesNow(block, cases, done).map(({ modes }) => modes[0]?.state);
  expect(states).toEqual(["in_effect", "in_effect"]);
});

it("shows each node's own mode where modes are side by side", () => {
  const client_node = "worker-1, worker-2";
  const beside = [{ ...placed("ipvs"), placement: { client_node, server_node: "worker-3" } }];
  const own = (node: string, value: string) =>
    line("log_assigned", { axis: "kube_proxy_mode", node, value });
  const swapped = [own("worker-1", "iptables"), own("worker-2", "ipvs")];
  const log = [own("worker-1", "ipvs"), own("worker-2", "iptables"), ...swapped];
  const now = nodesNow(block, beside, log).map(({ node, modes }) => [node, modes[0]?.value]);
  expect(now).toEqual([
    ["worker-1", "iptables"],
    ["worker-2", "ipvs"],
    ["worker-3", undefined],
  ]);
});

it("says nothing of a node that was not switched", () => {
  const some = [
    line("log_switched_on", { axis: "kube_proxy_mode", value: "ipvs", nodes: ["worker-1"] }),
  ];
  expect(nodesNow(block, cases, some).map(({ modes }) => modes.length)).toEqual([1, 0]);
  expect(nodesNow(block, cases, []).map(({ modes }) => modes.length)).toEqual([0, 0]);
});
