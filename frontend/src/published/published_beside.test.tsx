import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { beforeAll, expect, test, vi } from "vitest";
import type { Schemas } from "~/api/types";
import { matrix, reportOf } from "~/charts/report/example";
import { ReportExplorer } from "~/charts/report/report_explorer";
import { i18next } from "~/i18n";
import type { ChartedAxes } from "./figures";
import { PublishedBeside } from "./published_beside";

const report = reportOf(
  matrix({ services: [10, 1000, 5000], target: ["first", "last"] }).map((point) => ({
    point,
    values: { requests_per_second: 1234 },
  })),
);
const cell = (
  value: number,
  services: number,
  doubts: number[] = [],
): Schemas["PublishedCell"] => ({
  quote: `${value}`,
  value,
  unit: "1/s",
  metric: "requests_per_second",
  points: [{ services, target: "last", kube_proxy_mode: "iptables" }],
  doubts,
});
const both = "A ladder";
const reference: Schemas["ReferenceDocument"] = {
  id: "ladder",
  title: "Somebody's ladder",
  subject: both,
  author: "",
  published: "",
  url: null,
  revision: null,
  language: "en",
  kinds: ["service_scale"],
  repetitions: 1,
  environment: {},
  note: null,
  doubts: [both],
  claims: [],
  tables: [
    {
      id: "one",
      title: both,
      where: "1",
      restates: false,
      columns: [
        { id: "a", printed: "10" },
        { id: "b", printed: "1k" },
      ],
      rows: [{ id: "r", printed: "qps", cells: [cell(7782, 10), cell(7651, 1000, [0])] }],
    },
  ],
};
const summary: Schemas["ReferenceSummary"] = {
  ...{ id: "ladder", title: reference.title, subject: both, author: "", published: "" },
  ...{ url: null, language: "en", kinds: ["service_scale"], tables: 1, figures: 2 },
  claims: { holds: 0, partly: 0, fails: 0, not_recomputable: 0 },
};

function show(chosen: boolean, onChoose = vi.fn(), axes: ChartedAxes = report.axes) {
  render(
    <MantineProvider>
      <PublishedBeside
        references={[summary]}
        reference={chosen ? reference : undefined}
        chosen={chosen ? "ladder" : undefined}
        onChoose={onChoose}
        axes={axes}
      >
        <ReportExplorer report={report} view={{}} onView={() => {}} />
      </PublishedBeside>
    </MantineProvider>,
  );
  return onChoose;
}

beforeAll(() => i18next.changeLanguage("en"));

test("nothing published is shown until it is asked for", () => {
  const onChoose = show(false);
  expect(screen.queryByTestId("published")).toBeNull();
  fireEvent.change(screen.getByLabelText("Published figures"), { target: { value: "ladder" } });
  expect(onChoose).toHaveBeenCalledWith("ladder");
});

test("what was published is told as published, with what is doubtful, and is no series", async () => {
  show(true);
  const told = await screen.findByTestId("published");
  expect(told.textContent).toContain("published, Somebody's ladder");
  expect(told.textContent).toContain("Service ports 10 · last Service · iptables 7.78");
  expect(told.textContent).toContain("7.65");
  expect(told.textContent).toContain("* doubtful");
  expect(told.textContent).toContain("iptables");
});

test("where nothing of it is of such cases, that is said", () => {
  show(true, undefined, { services: [10, 1000, 5000], target: ["first", "pod"] });
  expect(screen.getByRole("status").textContent).toMatch(/^No published values match/);
});
