import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";
import type { Row } from "~/api/rows";
import type { RunReport, Schemas } from "~/api/types";
import { HowDecided } from "~/charts/report/decided";
import { matrix, reportOf } from "~/charts/report/example";
import { SummaryTable } from "~/charts/report/summary_table";
import { i18next } from "~/i18n";
import { effect } from "./testing";

const POINTS = matrix({ kube_proxy_mode: ["iptables", "nftables"], services: [10] });

function reportWith(limits: (string | null)[]): RunReport {
  const values = { requests_per_second: 9000 };
  const report = reportOf(POINTS.map((point) => ({ point, values })));
  const cases = report.cases.map((one, place) => ({ ...one, limited_by: limits[place] ?? null }));
  return { ...report, cases };
}

function decided(verdict: string, parameters: Row["parameters"]): RunReport {
  const [point, against] = [POINTS[1] ?? {}, POINTS[0] ?? {}];
  const rows = effect(9000, 9000, { verdict, parameters, key: { point, against } });
  const finding = {
    ...{ code: `mode_${verdict}`, metric: "requests_per_second", point: { services: 10 } },
    ...{ text: "", evidence: { kind: "rows", rows } },
  } as unknown as Schemas["Finding"];
  return { ...reportWith([]), findings: [finding] };
}

const show = (page: React.ReactNode) =>
  render(<MantineProvider env="test">{page}</MantineProvider>);

beforeAll(() => i18next.changeLanguage("en"));

it("names what limited each case, where it is known of any", () => {
  const { unmount } = show(
    <SummaryTable report={reportWith(["client_cpu", "unknown"])} metric="requests_per_second" />,
  );
  screen.getByRole("columnheader", { name: "Limited by" });
  const [, first, second] = screen.getAllByRole("row");
  within(first as HTMLElement).getByText("Client CPU");
  within(second as HTMLElement).getByText("Unknown");
  unmount();
  show(<SummaryTable report={reportWith(["unknown", null])} metric="requests_per_second" />);
  expect(screen.queryByRole("columnheader", { name: "Limited by" })).toBeNull();
});

it("says below the answer why a client at its limit leaves it open, and what to do", () => {
  const limited_by = ["client_cpu", "client_cpu"];
  const client_limited_trials = [
    [12, 12],
    [6, 12],
  ];
  const limit = { client_limited: true, limited_by, client_limited_trials };
  const parameters = { reason: "client_limited", ...limit };
  const { container } = show(
    <HowDecided report={decided("undecided", parameters)} about={undefined} />,
  );
  expect(container.textContent).toContain(
    "at its limit in 12 of 12 trials of iptables, 6 of 12 trials of nftables: use more clients",
  );
  expect(container.textContent).toContain("Most trials of both modes were limited by: Client CPU.");
});

it("names the side alone whose client was at its limit", () => {
  const client_limited_trials = [
    [0, 12],
    [11, 12],
  ];
  const parameters = { reason: "client_limited", client_limited: true, client_limited_trials };
  const { container } = show(
    <HowDecided report={decided("undecided", parameters)} about={undefined} />,
  );
  expect(container.textContent).toContain("at its limit in 11 of 12 trials of nftables: use");
});

it("says of a clear difference that it may be larger", () => {
  const limited_by = ["client_quota", "concurrency"];
  const warnings = [{ code: "client_limited" }];
  const parameters = { reason: "clear_effect", client_limited: true, limited_by, warnings };
  const { container } = show(
    <HowDecided report={decided("worse", parameters)} about={undefined} />,
  );
  expect(container.textContent).toContain("the difference may be larger");
  expect(container.textContent).toContain("Client CPU quota");
  expect(container.textContent).toContain("Too few requests at a time");
});

it("says up to which difference both count as the same, by what decided it", () => {
  const said = (parameters: Row["parameters"]) => {
    // Both are 9,000, with an interval of 2 %.
    const report = decided("same", { reason: "small_effect", ...parameters });
    const { container, unmount } = show(<HowDecided report={report} about={undefined} />);
    const text = container.textContent;
    unmount();
    return text;
  };
  expect(said({ same_within: 0.1 })).toMatch(/A difference of up to 10\s% counts as the same\./);
  expect(said({ same_within: 0.03, same_amount: 200 })).toMatch(
    /A difference of up to 200\s\/s counts as the same\./,
  );
  // Of an older version: it was not the share that decided.
  expect(said({ same_within: 0.01 })).not.toContain("counts as the same");
  expect(said({})).not.toContain("counts as the same");
});
