import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ServicesByCni } from "./services_by_cni";

function shown(services_by_cni: boolean): HTMLElement | null {
  render(
    <MantineProvider>
      <ServicesByCni found={{ services_by_cni }} />
    </MantineProvider>,
  );
  return screen.queryByRole("alert");
}

describe("ServicesByCni", () => {
  it("says that Cilium answers before kube-proxy", () => {
    expect(shown(true)?.textContent).toContain("Cilium also implements Services");
  });

  it("says nothing where kube-proxy answers", () => {
    expect(shown(false)).toBeNull();
  });
});
