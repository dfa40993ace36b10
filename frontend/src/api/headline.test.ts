import { describe, expect, it } from "vitest";
import { agree, caseOf, metricOf } from "./headline";
import type { Point, Schemas } from "./types";

const UDP = { path: "pod-pod", protocol: "udp", streams: 8 };
const advice = (...cases: Point[]) => ({ code: "prefer", parameters: {}, text: "", cases });
const headline = (
  parameters: Record<string, unknown>,
  ...recommendation: Schemas["Advised"][]
) => ({
  sentences: [{ code: "costs", parameters, text: "" }],
  recommendation,
});
const what = (point: Point) => ({ form: "what", metric: "throughput", subject: "client", point });

describe("what a headline is about", () => {
  it("is the case of its first sentence, in full where some advice rests on it", () => {
    const tcp = { path: "pod-pod", protocol: "tcp", streams: 8, policies: 0 };
    const full = { ...UDP, policies: 0 };
    expect(caseOf(headline({ what: what(UDP) }))).toEqual(UDP);
    expect(caseOf(headline({ what: what(UDP) }, advice(tcp), advice(tcp, full)))).toEqual(full);
    expect(caseOf(headline({ what: what(UDP) }, advice(tcp)))).toEqual(UDP);
    const several = { form: "in_cases", what: what(UDP), count: 3 };
    expect(caseOf(headline({ what: several }))).toEqual(UDP);
  });

  it("is the path that loses, where the first sentence says what a path loses", () => {
    const path = { form: "path", along: { path: "pod-pod" }, besides: { protocol: "udp" } };
    const lost = headline({ path, metric: { form: "metric", metric: "throughput", subject: "" } });
    expect(caseOf(lost)).toEqual({ path: "pod-pod", protocol: "udp" });
    expect(metricOf(lost)).toEqual({ metric: "throughput" });
  });

  it("is what the advice rests on, where the first sentence is about no case", () => {
    expect(caseOf(headline({}, advice(UDP)))).toEqual(UDP);
    expect(caseOf(headline({ what: "a text of an older version" }))).toBeUndefined();
    expect(caseOf(null)).toBeUndefined();
  });

  it("has the metric of its first sentence", () => {
    expect(metricOf(headline({ what: what(UDP) }))).toEqual({
      metric: "throughput",
      subject: "client",
    });
    expect(metricOf(headline({}))).toEqual({});
  });
});

it("tells points apart by the axes that both have", () => {
  expect(agree({ protocol: "udp" }, UDP)).toBe(true);
  expect(agree(UDP, { protocol: "udp", policies: 0 })).toBe(true);
  expect(agree({ protocol: "tcp" }, UDP)).toBe(false);
});
