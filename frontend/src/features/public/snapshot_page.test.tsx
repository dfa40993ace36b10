import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Schemas } from "~/api/types";
import { SnapshotPage } from "./snapshot_page";

const HEADLINE: Schemas["Headline"] = {
  sentences: [{ code: "costs", parameters: {}, text: "vxlan is slower" }],
  caveats: [],
};
const SNAPSHOT = {
  title: "Paths",
  expires_at: null,
  content: {
    subject: "cluster",
    taken_at: "2026-11-22T00:00:00Z",
    run: null,
    comparison: null,
    summary: HEADLINE,
    method: { runs: [], environments: [], version: 9 },
    withheld: [],
    kept: [],
  },
} as unknown as Schemas["PublicSnapshot"];

it("shows the answer first, and is ready once the rest follows", async () => {
  const page = vi.fn(() => document.querySelector("main")?.outerHTML);
  function Subject() {
    page();
    return <p>The rest</p>;
  }
  const Answer = { Chart: () => <p>The chart</p> };
  render(
    <MantineProvider env="test">
      <SnapshotPage token="t" snapshot={SNAPSHOT} Subject={Subject} Answer={Answer} />
    </MantineProvider>,
  );
  expect(await screen.findByText("The rest")).toBeTruthy();
  const first = page.mock.results[0]?.value;
  expect(first).toContain("vxlan is slower");
  expect(first).toContain("The chart");
  expect(first).not.toContain("The rest");
  expect(first).toMatch(/^<main[^>]* data-ready="false"/);
  expect(first).toMatch(/^<main[^>]* aria-busy="true"/);
  const main = screen.getByRole("main");
  expect(main.dataset.ready).toBe("true");
  expect(main.ariaBusy).toBe("false");
  expect(screen.getByRole("heading", { name: "How it was measured" })).toBeTruthy();
});
