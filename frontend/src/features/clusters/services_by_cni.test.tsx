import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { ClusterReport } from "~/queries/clusters";
import { ServicesByCni } from "./services_by_cni";

function shown(network: string, mode: string | null): HTMLElement | null {
  const cni = { name: network, version: null, encapsulation: null, pod_mtu: null, features: {} };
  const kube_proxy = { mode } as ClusterReport["kube_proxy"];
  render(
    <MantineProvider>
      <ServicesByCni found={{ cni, kube_proxy }} />
    </MantineProvider>,
  );
  return screen.queryByRole("alert");
}

describe("ServicesByCni", () => {
  it("says that Cilium answers before kube-proxy", () => {
    expect(shown("cilium", "iptables")?.textContent).toContain("Cilium's own programs");
  });

  it("says nothing of other pod networks, nor where there is no kube-proxy", () => {
    expect(shown("flannel", "iptables")).toBeNull();
    expect(shown("cilium", null)).toBeNull();
  });
});
