import { describe, expect, test } from "vitest";
import type { Schemas } from "~/api/types";
import type { OverlayRequest } from "~/charts/chart_overlay";
import { curvesOf, figuresFor, figuresOf, fitsAnywhere, restOf } from "./figures";

const cell = (value: number | null, point = {}, metric: string | null = "requests_per_second") =>
  ({
    quote: String(value),
    value,
    unit: value === null ? null : "1/s",
    metric,
    points: [point],
    doubts: [],
  }) satisfies Schemas["PublishedCell"];

const table = (cells: Schemas["PublishedCell"][], restates = false) =>
  ({
    id: "one",
    title: "one",
    where: "there",
    restates,
    columns: cells.map((_, index) => ({ id: `${index}`, printed: "" })),
    rows: [{ id: "r", printed: "", cells }],
  }) satisfies Schemas["PublishedTable"];

const asked: OverlayRequest = {
  y: { label: "", unit: "1/s", metric: "requests_per_second" },
  panel: "probe=qps",
  layout: { x: "services", series: ["target"], facets: ["probe"], numeric: true },
};
const axes = { services: [10, 1000], target: ["first", "last"], probe: ["qps", "latency"] };
const at = (services: number, target = "last", probe = "qps") => ({ services, target, probe });

describe("published figures of a chart", () => {
  test("are of its metric, unit and panel, at values that it has", () => {
    const figures = figuresOf({
      tables: [
        table([
          cell(1, at(10)),
          cell(2, at(1000)),
          cell(3, at(30_000)),
          cell(4, at(10, "first", "latency")),
          cell(5, at(10), null),
          cell(null, at(10)),
        ]),
        table([cell(6, at(10))], true),
      ],
    });
    expect(figuresFor(figures, axes, asked).map(({ value }) => value)).toEqual([1, 2, 3]);
    const other = { ...asked, y: { ...asked.y, unit: "s" as const } };
    expect(figuresFor(figures, axes, other)).toEqual([]);
  });

  test("match where each side has one value on an axis and another, as in a comparison", () => {
    const measured = { ...axes, service_type: ["ClusterIP"] };
    const nodePort = { ...at(10), service_type: "NodePort" };
    const reference = { tables: [table([cell(1, nodePort)])] };
    expect(fitsAnywhere(reference, measured)).toBe(true);
    const figures = figuresFor(figuresOf(reference), measured, asked);
    expect(figures.map(({ value }) => value)).toEqual([1]);
    // What differs is named.
    expect(restOf(nodePort, measured, ["services", "probe"])).toEqual({
      target: "last",
      service_type: "NodePort",
    });
    // Where one side has both, only the same value matches.
    const several = {
      tables: [table([cell(1, nodePort), cell(2, { ...nodePort, service_type: "x" })])],
    };
    expect(fitsAnywhere(several, measured)).toBe(false);
  });

  test("make a line for each rest, in the order of the numbers", () => {
    const figures = figuresOf({
      tables: [table([cell(2, at(1000)), cell(1, at(10)), cell(7, at(10, "first"))])],
    });
    const curves = curvesOf(figures, axes, asked.layout);
    expect(curves.map(({ rest, points }) => [rest, points])).toEqual([
      [
        { target: "last" },
        [
          { x: 10, value: 1 },
          { x: 1000, value: 2 },
        ],
      ],
      [{ target: "first" }, [{ x: 10, value: 7 }]],
    ]);
  });
});
