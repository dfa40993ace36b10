import { MantineProvider } from "@mantine/core";
import {
  QueryClient,
  QueryClientProvider,
  queryOptions,
  useMutation,
  useQuery,
} from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Schemas } from "~/api/types";
import { NextRun } from "./next_run";
import { RepeatRun } from "./repeat_run";

vi.mock("./link", () => ({
  ButtonLink: ({ to, params, children }: { to: string; params: object; children: string }) => (
    <a href={`${to} ${JSON.stringify(params)}`}>{children}</a>
  ),
}));

const next = { code: "rounds", rounds: 12, seconds: null, trials: null, decides: 3, undecided: 4 };

function plan(switches: number): Schemas["PlanView"] {
  return {
    kind: "throughput",
    repetition: { trials: 2, seconds: 3, rounds: 12, warmup: 1, void_replacements: 3, seed: 1 },
    cases: [],
    blocks: [],
    mode_switches: switches && switches + 1,
    switches: Array.from({ length: switches }, (_, block) => ({
      block,
      axis: "kube_proxy_mode",
      value: "iptables",
    })),
    trials: 72,
    notes: [],
    impact: [],
    switching_seconds: 0,
    switch_seconds: 60,
    switches_seen: 0,
    access: [],
    capability: "measure",
    obstacles: [],
    left_out: [],
    unavailable: [],
    around_seconds: 10,
    measuring_seconds: 216,
    measuring_pace: 1,
    blocks_seen: 0,
    expected_seconds: 1800,
    sight: { rounds: 12, rounds_needed: 6, block_deviation: 0.05, effect: 0.07, noise_floor: null },
  };
}

const asked = vi.fn();
const queued = vi.fn();

beforeEach(() => {
  asked.mockReset();
  queued.mockReset();
  queued.mockResolvedValue({ id: "new", name: "paths, 12 rounds" });
});

const message = (text: string) => ({ code: "unknown", params: {}, text });
const uncertain = {
  cluster: "lab",
  code: "preflight_old",
  level: "uncertain",
  cause: message("the preflight is 30 h old"),
  remedy: message("run it again"),
};

interface ShownProps {
  may?: boolean;
  switches?: number;
  obstacles?: (typeof uncertain)[];
}

function Shown({ may = true, switches = 0, obstacles = [] }: ShownProps) {
  const use = (changes: object) => {
    asked(changes);
    return {
      plan: useQuery(
        queryOptions({ queryKey: ["plan"], queryFn: () => ({ ...plan(switches), obstacles }) }),
      ),
      queue: useMutation({ mutationFn: (force: boolean) => queued(force) }),
    };
  };
  return (
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <NextRun next={next}>
          <RepeatRun changes={next} may={may} use={use as never} />
        </NextRun>
      </QueryClientProvider>
    </MantineProvider>
  );
}

describe("what would decide", () => {
  it("is said, and nothing is asked of the server before it is wanted", () => {
    render(<Shown />);
    expect(screen.getByText(/4 cases are undecided/).textContent).toContain("12 rounds");
    expect(screen.getByText(/would decide 3 of them/)).toBeTruthy();
    expect(asked).not.toHaveBeenCalled();
  });

  it("promises nothing where so few rounds tell nothing of their spread", () => {
    render(
      <MantineProvider>
        <NextRun next={{ ...next, code: "least", rounds: 6, decides: 2, undecided: 2 }}>
          {null}
        </NextRun>
      </MantineProvider>,
    );
    const said = screen.getByTestId("next-run").textContent;
    expect(said).toContain("2 comparisons have too few rounds for a verdict");
    expect(said).not.toContain("80 % probability");
  });

  it("is no button for who may not, and says why", () => {
    render(<Shown may={false} />);
    const button = screen.getByRole("button", { name: "Queue a run: 12 rounds" });
    expect((button as HTMLButtonElement).disabled).toBe(true);
    const why = button.getAttribute("aria-describedby");
    expect(document.getElementById(why ?? "")?.textContent).toContain("An operator");
  });

  it("shows time and sight, then queues and leads to the new run", async () => {
    const user = userEvent.setup();
    render(<Shown />);
    await user.click(screen.getByRole("button", { name: "Queue a run: 12 rounds" }));
    const whole = await screen.findByText(/^30.min/, undefined, { timeout: 20_000 });
    expect(whole.getAttribute("data-figure")).toBe("whole");
    expect(screen.getByText(/a difference of 7 % or more/)).toBeTruthy();
    expect(screen.getByText(/evaluated by itself/)).toBeTruthy();
    expect(queued).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Queue the run" }));
    expect((await screen.findByRole("status")).textContent).toContain("paths, 12 rounds");
    const link = screen.getByRole("link", { name: "Open the new run" });
    expect(link.getAttribute("href")).toContain('"runId":"new"');
  });

  it("is not queued before a switch of modes was agreed to, and shows a refusal", async () => {
    const user = userEvent.setup();
    queued.mockRejectedValue(new Error("no"));
    render(<Shown switches={24} />);
    await user.click(screen.getByRole("button", { name: "Queue a run: 12 rounds" }));
    const queue = await screen.findByRole("button", { name: "Queue the run" });
    expect((queue as HTMLButtonElement).disabled).toBe(true);
    expect(screen.getByText("25 mode switches, including the restore at the end")).toBeTruthy();
    await user.click(screen.getByRole("checkbox"));
    await user.click(queue);
    await waitFor(() => expect(screen.getByRole("alert")).toBeTruthy());
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("goes past what is uncertain only where that is agreed to", async () => {
    const user = userEvent.setup();
    render(<Shown obstacles={[uncertain]} />);
    await user.click(screen.getByRole("button", { name: "Queue a run: 12 rounds" }));
    const queue = await screen.findByRole("button", { name: "Queue the run" });
    expect(screen.getByText("the preflight is 30 h old")).toBeTruthy();
    expect((queue as HTMLButtonElement).disabled).toBe(true);
    await user.click(screen.getByRole("checkbox"));
    await user.click(queue);
    await waitFor(() => expect(queued).toHaveBeenCalledWith(true));
  });

  it("cannot be queued where something stands against it", async () => {
    const user = userEvent.setup();
    render(<Shown obstacles={[{ ...uncertain, level: "refused" }]} />);
    await user.click(screen.getByRole("button", { name: "Queue a run: 12 rounds" }));
    const queue = await screen.findByRole("button", { name: "Queue the run" });
    expect((queue as HTMLButtonElement).disabled).toBe(true);
    expect(screen.queryByRole("checkbox")).toBeNull();
  });
});
