import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { caseOf } from "~/api/headline";
import type { RunReport } from "~/api/types";
import { withRoom } from "../test_room";
import { matrix, reportOf } from "./example";
import { ReportCharts, ReportExplorer } from "./report_explorer";

const CASES = matrix({
  protocol: ["tcp", "udp"],
  path: ["node-node", "pod-pod"],
  encapsulation: ["vxlan", "none"],
});
const show = (page: React.ReactNode) =>
  render(<MantineProvider env="test">{page}</MantineProvider>);
const answer = (report: RunReport) =>
  show(
    <ReportCharts
      report={report}
      view={{}}
      onView={() => undefined}
      about={caseOf(report.headline) ?? "first"}
    />,
  );

beforeEach(withRoom);

it("answers with the chart and the metric of the headline's first sentence", () => {
  const values = { requests_per_second: 100, throughput: 9e9 };
  const report = reportOf(CASES.map((point) => ({ point, values })));
  const { unmount } = answer(report);
  expect(screen.getByRole("heading").textContent).toMatch(/^Requests per second.*TCP/);
  unmount();
  const point = { protocol: "udp", path: "pod-pod" };
  const parameters = { what: { form: "what", metric: "throughput", subject: "", point } };
  const sentences = [{ code: "costs", parameters, text: "VXLAN costs 26 % of UDP throughput" }];
  answer({ ...report, headline: { sentences } });
  expect(screen.getByRole("heading").textContent).toMatch(/^Throughput.*UDP/);
});

it("draws nothing of a run whose cases all failed", () => {
  const measured = reportOf(CASES.map((point) => ({ point, values: { failed_trials: 1 } })));
  const cases = measured.cases.map((one) => ({ ...one, status: "failed", counted: 0 }));
  const failed = { ...measured, cases };
  expect(answer(measured).container.querySelector("svg")).not.toBeNull();
  expect(answer(failed).container.querySelector("svg")).toBeNull();
  const { container } = show(<ReportExplorer report={failed} view={{}} onView={() => undefined} />);
  expect(container.querySelector("svg")).toBeNull();
  expect(container.textContent).toContain("No trial of this run counted");
});
