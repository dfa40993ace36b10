import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeAll, expect, it, vi } from "vitest";
import { i18next } from "~/i18n";
import { matrix, reportOf } from "./example";
import { ReportExplorer } from "./report_explorer";

const pictureOf = vi.hoisted(() => vi.fn());
vi.mock("../exports/picture", () => ({ pictureOf }));
vi.mock("../exports/download", async (load) => ({
  ...(await load<typeof import("../exports/download")>()),
  download: () => undefined,
}));

beforeAll(() => i18next.changeLanguage("en"));

it("a picture says of which run it is, where and when it was measured, how often, and the link", async () => {
  const report = reportOf(
    matrix({ path: ["node-node", "pod-pod"] }).map((point) => ({
      point,
      values: { throughput: 1e9 },
    })),
  );
  Object.assign(report.run, {
    name: "What VXLAN costs",
    // As a public page has it.
    clusters: ["cluster 1"],
    finished_at: "2026-11-21T12:00:00Z",
  });
  render(
    <MantineProvider env="test">
      <ReportExplorer report={report} view={{}} onView={() => undefined} />
    </MantineProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Copy or download: Throughput" }));
  fireEvent.click(await screen.findByRole("menuitem", { name: "Download SVG" }));
  await waitFor(() => expect(pictureOf).toHaveBeenCalled());
  const [type, title, , , notes] = pictureOf.mock.calls[0] ?? [];
  expect([type, title]).toEqual(["svg", "Throughput"]);
  expect(notes[0]).toMatch(/^What VXLAN costs · cluster 1 · 2[12] Nov 2026, \d\d:\d\d · n = 7$/);
  expect(notes[1]).toBe(location.href);
});
