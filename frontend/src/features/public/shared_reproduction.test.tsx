import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { speakOfShared } from "~/i18n";
import { EmbeddedReproduction, SharedReproduction } from "./shared_reproduction";

beforeAll(speakOfShared);

const both = (text: string) => ({ key: "", text });
const OURS = {
  key: { metric: "throughput", subject: "", unit: "bit/s", direction: "higher", point: {} },
  ...{ value: 9.4e9, low: 9.3e9, high: 9.5e9, n: 6, verdict: null, code: "median" },
  parameters: { run_id: "one", case_id: 1, confidence: 0.97 },
};
const ARTICLE: Schemas["Reproduction"] = {
  reference_id: "an-article",
  title: "网络性能",
  language: "zh",
  subject: both("What VXLAN costs"),
  url: "https://example.org/article",
  runs: [
    {
      ...{ run_id: "one", name: "Paths", kind: "throughput", state: "finished" },
      ...{ outcome: "succeeded", reason: null, clusters: ["cluster-A"] },
      ...{ started_at: null, finished_at: null, shared_host: true },
    },
  ],
  stand_ins: [{ axis: "encapsulation", published: "native", measured: "host-gw" }],
  tables: [
    {
      ...{ id: "pods", title: both("Pods"), where: "3.2", figures: 3, measured: 1, why_not: null },
      columns: [{ id: "rate", printed: "Bitrate" }],
      rows: [
        {
          ...{ id: "r", printed: "receiver" },
          cells: [{ quote: "9.1 Gbit/s", value: 9.1e9, unit: "bit/s", ours: OURS }],
        },
      ],
    },
    {
      ...{ id: "other", title: both("IP in IP"), where: "3.6", figures: 2, measured: 0 },
      ...{ columns: [], rows: [], why_not: "not_measured" },
    },
  ],
  claims: [
    {
      ...{ id: "half", where: "4", quote: "一半", said: both("VXLAN costs half"), how: "loss" },
      ...{ published: "holds", verdict: "does_not_hold", why_not: null, asked: 1 },
      results: [
        {
          key: { ...OURS.key, unit: "ratio" },
          ...{ value: 0.3, low: 0.25, high: 0.36, n: 6, verdict: "worse", code: "does_not_hold" },
          parameters: { of: "a", against: "b", why_not: null, confidence: 0.95 },
        },
      ],
    },
  ],
};

const show = (page: React.ReactNode) =>
  render(<MantineProvider env="test">{page}</MantineProvider>);

it("shows each article with its claims and its tables, ours beside each figure", () => {
  show(<SharedReproduction articles={[ARTICLE]} />);
  const article = screen.getByRole("region", { name: "What VXLAN costs" });
  const cited = within(article).getByRole("link", { name: "网络性能" });
  expect(cited.getAttribute("href")).toBe("https://example.org/article");
  expect(within(article).getByText(/host-gw replaces the article/)).toBeTruthy();
  expect(within(article).getByText(/All nodes of this cluster run on one machine/)).toBeTruthy();
  const claim = within(article).getByRole("row", { name: /VXLAN costs half/ });
  expect(claim.textContent).toMatch(/loss.*30.*25.*36.*worse.*does not hold/i);
  const row = within(article).getByRole("row", { name: /receiver/ });
  expect(row.textContent).toMatch(/9\.1 Gbit\/s.*9\.40.Gbit\/s.*n.=.6/);
  expect(within(article).getByText(/2 of its 3 figures/)).toBeTruthy();
  expect(within(article).getByText(/IP in IP.*these cases were not measured/i)).toBeTruthy();
});

it("needs no way into the application, where a run could be opened", () => {
  show(<SharedReproduction articles={[{ ...ARTICLE, url: null }]} />);
  expect(screen.queryAllByRole("link")).toEqual([]);
  expect(screen.getByText("Paths")).toBeTruthy();
});

it("is embedded as what came of the claims", () => {
  const content = { reproduction: [ARTICLE] } as unknown as Schemas["SnapshotContent"];
  show(<EmbeddedReproduction content={content} search={{}} onView={() => undefined} />);
  expect(screen.getByRole("row", { name: /VXLAN costs half/ })).toBeTruthy();
  expect(screen.queryByRole("row", { name: /receiver/ })).toBeNull();
});
