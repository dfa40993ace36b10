import { describe, expect, it } from "vitest";
import { ProblemError } from "~/api/problem";
import type { Schemas } from "~/api/types";
import { textMessage } from "~/i18n/text_message";
import { alongAxis, axesOf, bodyOf, casesOn, faultsOf, modesOf } from "./choice";
import { readCompareSearch } from "./search";

const RUN = "1d37c562-9138-45fc-9a07-a9ae227d3567";

describe("the address of a choice", () => {
  it("keeps sides, parts and settings", () => {
    const search = {
      baseline: { run: RUN, where: { kube_proxy_mode: "iptables" } },
      contenders: [
        { run: RUN, where: { services: 10 } },
        { run: RUN, case: 7 },
      ],
      metrics: "all",
      noise: 0.05,
    };
    expect(readCompareSearch(search)).toEqual(search);
  });

  it("drops what is not well formed", () => {
    expect(
      readCompareSearch({
        baseline: { run: "moon" },
        contenders: [{ run: RUN, where: { a: true }, case: "x" }, 3],
        metrics: "some",
        noise: "much",
      }),
    ).toEqual({ contenders: [{ run: RUN }] });
  });
});

describe("a choice", () => {
  it("may have what was published as its baseline, and any part of it", () => {
    const search = {
      reference: { id: "iptables-ipvs-ladder", where: { target: "last" } },
      contenders: [{ run: RUN }],
    };
    expect(readCompareSearch(search)).toEqual(search);
    expect(bodyOf(search)?.baseline).toEqual({
      reference_id: "iptables-ipvs-ladder",
      where: { target: "last" },
    });
    expect(bodyOf({ reference: search.reference })).toBeNull();
    expect(readCompareSearch({ reference: { id: "../moon" } })).toEqual({});
  });

  it("along an axis has its first value as the baseline of the others", () => {
    const search = alongAxis(RUN, { axis: "services", values: [10, 20, 30] });
    expect(bodyOf(search)).toEqual({
      baseline: { run_id: RUN, where: { services: 10 } },
      contenders: [
        { run_id: RUN, where: { services: 20 } },
        { run_id: RUN, where: { services: 30 } },
      ],
      metrics: "main",
      noise_threshold: 0.03,
      alpha: 0.05,
    });
  });

  it("of one case asks for that alone; without a contender for nothing", () => {
    const baseline = { run: RUN, where: { services: 10 }, case: 7 };
    expect(bodyOf({ baseline })).toBeNull();
    expect(bodyOf({ baseline, contenders: [baseline] })?.baseline).toEqual({
      run_id: RUN,
      case_id: 7,
      where: {},
    });
  });
});

describe("a run's parts", () => {
  const cases = [
    { id: 1, point: { mode: "a", services: 10, path: "x" } },
    { id: 2, point: { mode: "b", services: 10, path: "x" } },
    { id: 3, point: { mode: "b", services: 20, path: "x" } },
  ] as unknown as Schemas["CaseView"][];

  it("are the axes on which its cases differ, and the cases on a part", () => {
    expect(axesOf(cases)).toEqual([
      { axis: "mode", values: ["a", "b"] },
      { axis: "services", values: [10, 20] },
    ]);
    expect(casesOn(cases, { mode: "b", services: 20 }).map((one) => one.id)).toEqual([3]);
  });

  it("are suggested by cluster modes alone", () => {
    const run = {
      spec: {
        axes: [
          { name: "encapsulation", scope: "cluster_mode", values: ["vxlan", "host-gw"] },
          { name: "cluster", scope: "cluster", values: ["c"] },
          { name: "path", scope: "case", values: ["x", "y"] },
        ],
      },
    } as unknown as Schemas["RunDetail"];
    expect(modesOf(run)).toEqual([{ axis: "encapsulation", values: ["vxlan", "host-gw"] }]);
  });
});

const fault = (pointer: string, detail: string) => ({
  pointer,
  detail,
  message: textMessage(detail),
  header: null,
  parameter: null,
  remedy: null,
  mend: null,
  obstacle: null,
});

it("what the API refuses is said at its field", () => {
  const error = new ProblemError({
    type: "",
    title: "",
    status: 422,
    detail: "",
    code: "invalid_comparison",
    allowed: null,
    request_id: null,
    document: null,
    error_count: null,
    message: textMessage(""),
    errors: [
      fault("/contenders/1/where", "the run has no case with these values"),
      fault("/alpha", "too much"),
    ],
  });
  const { at, pointers } = faultsOf(error, 2);
  expect(at("/contenders/1/where")).toBe("the run has no case with these values");
  expect(at("/baseline/where")).toBeUndefined();
  expect(at("/alpha")).toBe("too much");
  expect(pointers).toContain("/contenders/1/where");
  expect(faultsOf(null, 2).at("/alpha")).toBeUndefined();
});
