import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Row } from "~/api/rows";
import type { Comparison } from "~/api/types";
import { ComparisonView } from "./comparison_view";
import { comparison, contender, effect, ladder, pairAt } from "./testing";
import type { ComparisonViewState } from "./view";

const pictureOf = vi.hoisted(() => vi.fn());
vi.mock("~/charts/exports/picture", () => ({ pictureOf }));
vi.mock("~/charts/exports/download", async (load) => ({
  ...(await load<typeof import("~/charts/exports/download")>()),
  download: () => undefined,
}));

function Shown({ found, given = {} }: { found: Comparison; given?: ComparisonViewState }) {
  const [view, setView] = useState<ComparisonViewState>(given);
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
    const row = within(differences).getByText("Kernel (w1)").closest("tr");
    expect(row?.textContent).toContain("6.1");
    expect(row?.textContent).toContain("unknown");
    expect(row?.textContent).toContain("none of the compared axes");
    expect(within(table()).getByText("Refused: the environments differ")).toBeTruthy();
    expect(screen.queryByText(/n = /)).toBeNull();
  });

  it("says of no environment that it is the same where no case was measured on both sides", () => {
    const unmeasured = ladder([10], "ipvs", () => ({ comparability: null }));
    unmeasured.gate = { verdict: "unknown", differences: [] };
    render(<Shown found={comparison({ kube_proxy_mode: "iptables" }, [unmeasured])} />);
    expect(screen.getByText(/^Unknown whether the environments are the same/)).toBeTruthy();
    expect(screen.queryByText(/^The environments are the same/)).toBeNull();
    const card = within(screen.getByRole("article"));
    expect(card.getByText("Unknown")).toBeTruthy();
    expect(card.queryByText("Comparable")).toBeNull();
  });

  it("says beside what is not decided why not, to a pointer, the keyboard and a touch", async () => {
    const undecided = {
      verdict: "undecided",
      parameters: { reason: "interval_too_wide" },
    };
    const found = comparison({ kube_proxy_mode: "iptables" }, [
      ladder([10], "ipvs", () => ({ effects: [effect(100, 101, undecided)] })),
    ]);
    render(<Shown found={found} />);
    const why = /the interval is too wide/;
    const sign = within(table()).getByRole("img", { name: why });
    expect(sign.tabIndex).toBe(0);
    fireEvent.focus(sign);
    expect((await screen.findByRole("tooltip")).textContent).toMatch(why);
  });

  it("names the only case and the setup of modes, and says what is not counted", () => {
    const metric = { metric: "switch_convergence", unit: "s", direction: "lower" };
    const parameters = { not_counted: "set_up" };
    const found = comparison({ kube_proxy_mode: "iptables" }, [
      contender({ kube_proxy_mode: "ipvs" }, [
        {
          ...pairAt({ path: "pod-pod" }, "ipvs", { effects: [effect(3, 4)] }),
          // The two sides are two paths.
          shared: {},
        },
        pairAt({}, "ipvs", { effects: [effect(3, 4, { key: metric, parameters })] }),
      ]),
    ]);
    render(<Shown found={found} />);
    const cases = within(table()).getAllByRole("rowheader");
    expect(cases.map((one) => one.textContent)).toEqual(["Only case", "Mode setup"]);
    expect(within(table()).getByRole("img", { name: /^not counted: / })).toBeTruthy();
  });

  it("filters, sorts and opens trials, and tells the address", async () => {
    const user = userEvent.setup();
    const found = comparison({ kube_proxy_mode: "iptables" }, [
      ladder([10, 20], "ipvs", (count) => ({
        effects: [
          effect(
            100,
            count === 10 ? 90 : 120,
            count === 10 ? { parameters: { warnings: [{ code: "constant_sample" }] } } : {},
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
    await waitFor(() => expect(within(table()).getAllByText(/n = 5/)).toHaveLength(2));

    await user.click(screen.getByRole("button", { name: /^Change/ }));
    expect(view()).toMatchObject({ verdict: "worse", sort: "change" });
    await waitFor(() =>
      expect(screen.getByRole("columnheader", { name: /^Change/ }).ariaSort).toBe("ascending"),
    );

    await user.click(screen.getByRole("button", { name: /Trials and reason/ }));
    expect(await within(table()).findByText(/99\s+100\s+101/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /Trials and reason/ }));
    expect(view()).toEqual({ verdict: "worse", sort: "change" });
  });
});

/** Two rounds of three trials on each side. */
function rounds(base: number, other: number): Row[] {
  const values = [base, other].map((value) => [
    [value * 0.99, value, value * 1.01],
    [value * 0.98, value, value * 1.02],
  ]);
  return effect(base, other, { values, parameters: { level: "block", rounds: 2 } });
}

it("is drawn again by its page for another view alone", () => {
  const found = comparison({ kube_proxy_mode: "iptables" }, [
    ladder([10], "ipvs", () => ({ effects: [effect(100, 90)] })),
  ]);
  // Whatever draws it writes its confidence.
  const drawn = vi.fn(() => 0.05);
  Object.defineProperty(found, "alpha", { get: drawn });
  const ignore = () => undefined;
  const whole: ComparisonViewState = {};
  const narrowed: ComparisonViewState = { verdict: "worse" };
  function Redrawn() {
    const [times, setTimes] = useState(0);
    return (
      <>
        <button type="button" onClick={() => setTimes(times + 1)}>
          Again
        </button>
        <ComparisonView comparison={found} view={times > 1 ? narrowed : whole} onView={ignore} />
      </>
    );
  }
  render(<Redrawn />, { wrapper: MantineProvider });
  const again = screen.getByRole("button", { name: "Again" });
  drawn.mockClear();
  fireEvent.click(again);
  expect(drawn).not.toHaveBeenCalled();
  fireEvent.click(again);
  expect(drawn).toHaveBeenCalled();
});

it("is drawn against what was published, which is of no moment", async () => {
  const found = comparison({}, [
    ladder([10], "iptables", () => ({ effects: [effect(7782, 10_000)] })),
  ]);
  Object.assign(found.baseline, {
    run_id: null,
    reference_id: "iptables-ipvs-ladder",
    name: "Somebody's ladder",
    where: { kube_proxy_mode: "iptables", target: "first" },
    created_at: null,
  });
  Object.assign(found.contenders[0]?.gate ?? {}, {
    verdict: "confounded",
    differences: [
      { field: "fingerprint", baseline: "published", contender: "recorded", axis: null },
    ],
  });
  render(<Shown found={found} />);
  expect(within(table()).getByText("Baseline: Somebody's ladder (published)")).toBeTruthy();
  expect(await screen.findByText(/does not describe its machines completely/)).toBeTruthy();
  expect(screen.queryByText("fingerprint")).toBeNull();
});

describe("figures of a comparison", () => {
  it("are the centres that the change is of, with no p where there is none, and which way is better", () => {
    const one = effect(100, 90, { parameters: { p: null }, centres: [97, 88] });
    const found = comparison({ kube_proxy_mode: "iptables" }, [
      ladder([10], "ipvs", () => ({ effects: [one] })),
    ]);
    render(<Shown found={found} />);
    const row = within(table()).getByText("Requests per second").closest("tr");
    const cells = [...(row?.querySelectorAll("td") ?? [])].map(({ textContent }) => textContent);
    expect(cells[0]).toContain("higher is better");
    expect(cells[1]).toMatch(/^97/);
    expect(cells[2]).toMatch(/^88/);
    expect(cells[4]).toBe("n/a");
  });
});

describe("charts of a comparison", () => {
  // What is drawn depends on the room there is, and jsdom gives none.
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (
      this: HTMLElement,
    ) {
      const plot = this.classList.contains("recharts-wrapper");
      return new DOMRect(0, 0, plot ? 800 : 20, plot ? 300 : 12);
    });
    return () => vi.restoreAllMocks();
  });

  const targets = () =>
    comparison({ kube_proxy_mode: "iptables" }, [
      contender(
        { kube_proxy_mode: "ipvs" },
        [10, 1000, 5000].flatMap((services) => [
          pairAt({ services, target: "first" }, "ipvs", { effects: [rounds(10_000, 9_500)] }),
          pairAt({ services, target: "last" }, "ipvs", { effects: [rounds(1_000, 300)] }),
        ]),
      ),
    ]);

  it("share their scales in all facets, and have every interval, trial and direction", async () => {
    const { container } = render(<Shown found={targets()} given={{ facet: "target" }} />);
    const ticks = (axis: string) =>
      [...container.querySelectorAll(`.recharts-${axis}-tick-labels`)].map((labels) =>
        [...labels.querySelectorAll("text")].map((one) => [
          one.textContent,
          one.getAttribute("x"),
          one.getAttribute("y"),
        ]),
      );
    await waitFor(() => expect(ticks("xAxis")).toHaveLength(4));
    const [first, last, ...others] = ticks("yAxis");
    expect(others).toEqual([]);
    expect(first?.map(([label]) => label)).toContain("10");
    expect(last).toEqual(first);
    // Values and changes in turn: those of the first target, then those of the last.
    const [, changes, , changesOfLast] = ticks("xAxis");
    // Of the first alone it would end at -5 %.
    expect(Math.min(...(changes ?? []).map(([label]) => Number(label)))).toBeLessThan(-30);
    expect(changesOfLast).toEqual(changes);

    const charts = [...container.querySelectorAll("section section")];
    expect(charts).toHaveLength(4);
    for (const chart of charts) {
      expect(chart.textContent).toContain("higher is better");
      const intervals = chart.querySelectorAll("path[data-whisker], .recharts-area-area");
      expect(intervals.length).toBeGreaterThan(0);
      const drawn = [...chart.querySelectorAll(".recharts-wrapper path[data-trials]")];
      const dots = drawn.map((one) => Number(one.getAttribute("data-trials")));
      expect(dots.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(5);
    }
  });

  it("say in a picture what is compared, where and when, how often, and the link", async () => {
    render(<Shown found={targets()} />);
    fireEvent.click(
      screen.getByRole("button", { name: /^Copy or download: Change of: Requests per second/ }),
    );
    fireEvent.click(await screen.findByRole("menuitem", { name: "Download PNG" }));
    await waitFor(() => expect(pictureOf).toHaveBeenCalled());
    const [, , , , notes] = pictureOf.mock.calls[0] ?? [];
    expect(notes[0]).toMatch(
      /^ladder: kube-proxy mode IPVS against ladder: kube-proxy mode iptables · testbed · 2[012] Nov 2026, \d\d:\d\d · n = 6$/,
    );
    expect(notes[1]).toBe(location.href);
  });
});
