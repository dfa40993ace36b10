import { expect, it } from "vitest";
import { readChartView } from "~/charts/view";
import { readComparisonView } from "~/comparison_view/view";
import { readAddress, writeAddress } from "./address";
import { isEmbed, tokenOf } from "./snapshot";

it("keeps a run's view through the address, and the language", () => {
  const view = {
    metric: "throughput",
    x: "services",
    series: ["path", "protocol"],
    alone: { "qps ": ["kube_proxy_mode=nftables", "IPVS"] },
    ranges: { "qps ": [100, 5000] as const },
  };
  const search = writeAddress("?lang=zh", view);
  expect(new URLSearchParams(search).get("lang")).toBe("zh");
  expect(readChartView(readAddress(search))).toEqual(view);
});

it("keeps all of a comparison's view: filters, order, page and the opened row", () => {
  const view = {
    contender: 1,
    verdict: "worse",
    only: "throughput",
    all: true,
    sort: "p",
    descending: true,
    page: 2,
    row: "12:34:throughput",
  } as const;
  expect(readComparisonView(readAddress(writeAddress("", view)))).toEqual(view);
});

it("forgets what the next view does not name", () => {
  expect(writeAddress("?metric=throughput&yScale=log", {})).toBe("");
});

it("tells an embed from the whole page, and the token of both", () => {
  for (const [path, embedded] of [
    ["/s/abc", false],
    ["/s/embed", false],
    ["/s/abc/embed", true],
    ["/s/abc/embed/", true],
    ["/s/abc/embedded", false],
  ] as const) {
    expect(isEmbed(path)).toBe(embedded);
    expect(tokenOf(path)).toBe(path.split("/")[2]);
  }
});

it("reads nothing from an address that names nothing", () => {
  expect(readChartView(readAddress("?metric=%3Cscript%3E&yScale=cubic"))).toEqual({});
  const wrong = { alone: { a: "IPVS", b: [7] }, ranges: { a: [2, 1], b: [1], c: ["1", 2] } };
  expect(readChartView(readAddress(writeAddress("", wrong)))).toEqual({});
  expect(readChartView({ alone: ["IPVS"], ranges: 7 })).toEqual({});
});
