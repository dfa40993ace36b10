import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { speakOfShared } from "~/i18n";
import { SharedCluster } from "./shared_cluster";
import { SharedExperiment } from "./shared_experiment";

beforeAll(speakOfShared);

const SAID = { code: "costs", parameters: {}, text: "vxlan is slower" };
const RUN: Schemas["SharedRun"] = {
  run_id: "one",
  name: "Nightly",
  kind: "throughput",
  outcome: "succeeded",
  finished_at: "2026-11-22T00:00:00Z",
  clusters: ["cluster-A"],
  shared_host: true,
  headline: { sentences: [SAID], caveats: [{ ...SAID, code: "shared_host", text: "One machine" }] },
};
const EXPERIMENT: Schemas["SharedExperiment"] = {
  name: "Paths",
  kind: "throughput",
  spec: {},
  yaml: "name: Paths\n",
  notes: "",
  plan: {
    cases: [{ path: "pod-pod" }, { path: "node-node" }],
    blocks: 1,
    trials: 12,
    switches: 0,
    expected_seconds: 90,
  },
  runs: [RUN, { ...RUN, run_id: "two", name: "Earlier", headline: null, outcome: "failed" }],
  complete: false,
};
const CLUSTER: Schemas["SharedCluster"] = {
  cluster: "cluster-A",
  notes: "",
  kubernetes_version: null,
  nodes: 2,
  shared_host: true,
  modes: [
    { axis: "encapsulation", observed: "vxlan", unclear: null, switchable: ["host-gw"] },
    { axis: "kube_proxy_mode", observed: null, unclear: null, switchable: [] },
  ],
  fingerprint: null,
  seen_at: null,
  runs_needed: 4,
  noise_floor: [],
  runs: [],
};

const show = (page: React.ReactNode) =>
  render(<MantineProvider env="test">{page}</MantineProvider>);

it("shows an experiment's runs with what each found, its plan and its specification", () => {
  show(<SharedExperiment experiment={EXPERIMENT} />);
  expect(screen.getByText("2 cases · 1 block · 12 trials")).toBeTruthy();
  const found = screen.getByRole("region", { name: "In short: 1. Nightly" });
  expect(within(found).getByText("vxlan is slower")).toBeTruthy();
  expect(within(found).getByText("One machine")).toBeTruthy();
  // Nothing that failed is shown as if it had found something.
  expect(screen.getByText("Its trials show no result.")).toBeTruthy();
  expect(screen.getByText("Earlier runs are not listed.")).toBeTruthy();
  expect(screen.getByText("name: Paths")).toBeTruthy();
});

it("shows a cluster's modes, that its nodes are one machine, and what is not known", () => {
  show(<SharedCluster cluster={CLUSTER} />);
  expect(screen.getByText(/All nodes of this cluster run on one machine/)).toBeTruthy();
  const rows = within(screen.getByRole("table")).getAllByRole("row");
  expect(rows[1]?.textContent).toMatch(/vxlan.*host-gw/i);
  expect(rows[2]?.textContent).toContain("unknown");
  expect(screen.getByText("Its noise floor has not been measured.")).toBeTruthy();
  expect(screen.getByText("No run has finished yet.")).toBeTruthy();
});
