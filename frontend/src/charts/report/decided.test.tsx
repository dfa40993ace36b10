import { List, MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { beforeAll, describe, expect, it } from "vitest";
import type { Row } from "~/api/rows";
import { i18next } from "~/i18n";
import { HowDecided, OnPairs } from "./decided";
import { matrix, reportOf } from "./example";

const PAIRS = ["node-1~node-2", "node-2~node-3", "node-1~node-2", "node-2~node-3"];

beforeAll(() => i18next.changeLanguage("en"));

function said(parameters: Row["parameters"]): string | null {
  const key = { metric: "m", subject: "", unit: "ratio", direction: "higher", point: {} };
  const row = { key, code: "ratio", parameters } as unknown as Row;
  const { container } = render(
    <MantineProvider>
      <List>
        <OnPairs row={row} />
      </List>
    </MantineProvider>,
  );
  return container.querySelector("li")?.textContent ?? null;
}

describe("what a verdict rests on", () => {
  it("names the pair of nodes, or says of how many pairs it is", () => {
    expect(said({ node_pair: "node-1~node-2" })).toBe("All rounds are on node-1 → node-2.");
    expect(said({ round_node_pairs: PAIRS })).toBe(
      "The rounds are on 2 node pairs in turn, and the spread between pairs is part of the interval.",
    );
    expect(said({})).toBeNull();
  });

  it("is drawn by pair where a run compares nothing and its pair changed by round", async () => {
    const report = reportOf(
      matrix({ path: ["pod-pod"] }).map((point) => ({ point, values: { throughput: 9e8 } })),
    );
    for (const row of report.summaries) {
      const values = [[9.2e8], [3.1e8], [9.3e8], [3.2e8]];
      if (row.code === "median") {
        row.parameters = { ...row.parameters, main: true, values, round_node_pairs: PAIRS };
      }
    }
    render(
      <MantineProvider env="test">
        <HowDecided report={report} about={undefined} />
      </MantineProvider>,
    );
    fireEvent.click(screen.getByText("How this was decided"));
    const chart = await screen.findByRole("region", { name: /by node pair/ });
    fireEvent.click(within(chart).getByRole("radio", { name: "Table" }));
    const table = await within(chart).findByRole("table");
    expect(table.textContent).toContain("node-2 → node-3");
    expect(within(table).getAllByRole("row").length).toBe(3);
  });

  it("has nothing to say of pairs where these did not change", () => {
    const report = reportOf(
      matrix({ path: ["pod-pod"] }).map((point) => ({ point, values: { throughput: 9e8 } })),
    );
    const { container } = render(
      <MantineProvider env="test">
        <HowDecided report={report} about={undefined} />
      </MantineProvider>,
    );
    expect(container.textContent).not.toContain("How this was decided");
  });
});
