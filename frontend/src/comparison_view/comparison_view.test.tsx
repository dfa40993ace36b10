import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { Comparison } from "~/api/types";
import { ComparisonView } from "./comparison_view";
import { comparison, effect, ladder } from "./testing";
import type { ComparisonViewState } from "./view";

function Shown({ found }: { found: Comparison }) {
  const [view, setView] = useState<ComparisonViewState>({});
  return (
    <MantineProvider>
      <ComparisonView comparison={found} view={view} onView={setView} />
      <output>{JSON.stringify(view)}</output>
    </MantineProvider>
  );
}

const view = () => JSON.parse(screen.getByRole("status").textContent ?? "");
const table = () => screen.getByRole("region", { name: "Table of effects" });

describe("a comparison", () => {
  it("names what makes it refused, and gives no effect", async () => {
    const refused = ladder([10], "ipvs", () => ({ comparability: "refused" }));
    refused.gate = {
      verdict: "refused",
      differences: [
        { field: "nodes.w1.kernel", baseline: "6.1", contender: null, axis: null },
        {
          field: "kube_proxy.mode",
          baseline: "iptables",
          contender: "ipvs",
          axis: "kube_proxy_mode",
        },
      ],
    };
    render(<Shown found={comparison({ kube_proxy_mode: "iptables" }, [refused])} />);
    const differences = await screen.findByRole("region", { name: "What differs: IPVS" });
    const row = within(differences).getByText("nodes.w1.kernel").closest("tr");
    expect(row?.textContent).toContain("6.1");
    expect(row?.textContent).toContain("unknown");
    expect(row?.textContent).toContain("nothing compared");
    expect(within(table()).getByText("Refused: the environments differ")).toBeTruthy();
    expect(screen.queryByText(/n = /)).toBeNull();
  });

  it("filters, sorts and opens trials, and tells the address", { timeout: 30_000 }, async () => {
    const user = userEvent.setup();
    const found = comparison({ kube_proxy_mode: "iptables" }, [
      ladder([10, 20], "ipvs", (count) => ({
        effects: [
          effect(
            100,
            count === 10 ? 90 : 120,
            count === 10
              ? { warnings: [{ code: "constant_sample", message: "as the API says it" }] }
              : {},
          ),
        ],
      })),
    ]);
    render(<Shown found={found} />);
    expect(within(table()).getAllByText(/n = 5/)).toHaveLength(4);
    expect(
      screen.getByRole("img", { name: /all trials of a sample gave the same value/ }),
    ).toBeTruthy();

    await user.selectOptions(await screen.findByRole("combobox", { name: "Verdict" }), "worse");
    expect(view()).toEqual({ verdict: "worse" });
    expect(within(table()).getAllByText(/n = 5/)).toHaveLength(2);

    await user.click(screen.getByRole("button", { name: /^Change/ }));
    expect(view()).toMatchObject({ verdict: "worse", sort: "change" });
    expect(screen.getByRole("columnheader", { name: /^Change/ }).ariaSort).toBe("ascending");

    await user.click(screen.getByRole("button", { name: /Trials and reason/ }));
    expect(await within(table()).findByText(/99\s+100\s+101/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /Trials and reason/ }));
    expect(view()).toEqual({ verdict: "worse", sort: "change" });
  });
});
