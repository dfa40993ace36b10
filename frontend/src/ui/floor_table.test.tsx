import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { FloorTable } from "./floor_table";

const key = (metric: string, unit: string, path: string) => ({
  metric,
  subject: "",
  unit,
  direction: "none",
  point: { path, protocol: "tcp", streams: 1 },
  against: null,
});
const SHARE = { low: 0.04, high: 0.08, n: 12, verdict: null };

const FLOOR: Schemas["MeasuredFloor"] = {
  kind: "throughput",
  name: "Noise floor: throughput",
  seconds: 3,
  run_ids: ["77f0"],
  days: 1,
  first_at: "2026-11-22T00:00:00Z",
  last_at: "2026-11-22T00:00:00Z",
  outdated: [],
  figures: [
    { key: key("throughput", "ratio", "pod-pod"), value: 0.01, code: "within", ...SHARE },
    { key: key("throughput", "ratio", "pod-pod"), value: 0.05, code: "blocks", ...SHARE },
    {
      key: key("retransmits", "count", "node-node"),
      value: 3,
      low: 2,
      high: 5,
      n: 6,
      verdict: null,
      code: "blocks",
    },
  ],
};

describe("FloorTable", () => {
  it("shows each level with its interval, and what is not known as such", () => {
    render(
      <MantineProvider>
        <FloorTable floor={FLOOR} />
      </MantineProvider>,
    );
    const rows = screen.getAllByRole("row").slice(1);
    const texts = rows.map((row) =>
      within(row)
        .getAllByRole("cell")
        .map(({ textContent }) => textContent),
    );
    expect(texts[0]?.[0]).toContain("± 1.0\u202f%");
    expect(texts[0]?.[1]).toContain("± 5.0\u202f%");
    expect(texts[0]?.[1]).toContain("[4.0\u00a0to\u00a08.0\u202f%], n = 12");
    expect(texts[0]?.[2]).toBe("not known yet");
    // In the metric's own unit where a share has no meaning.
    expect(texts[1]?.[1]).toContain("± 3");
    expect(texts[1]?.[1]).toContain("[2\u00a0to\u00a05], n = 6");
  });
});
