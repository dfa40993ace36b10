import { describe, expect, it } from "vitest";
import { comparison, effect, ladder } from "../testing";
import { commonGround, rowsOf, shownRows } from "./rows";

const EFFECTS = {
  10: [
    effect(100, 90),
    effect(1, 3, {
      key: { metric: "node_cpu", subject: "client" },
      parameters: { main: false, p: 0.2 },
    }),
  ],
  20: [effect(100, 50, { parameters: { p: 0.004 } })],
  30: [effect(100, 0, { ratio: null, verdict: "undecided", parameters: { p: null } })],
} as const;

const rows = rowsOf(
  comparison({ kube_proxy_mode: "iptables" }, [
    ladder([10, 20, 30, 40], "ipvs", (count) =>
      count === 40
        ? { comparability: "refused" }
        : { effects: [...EFFECTS[count as keyof typeof EFFECTS]] },
    ),
  ]),
);
const services = (found: typeof rows) => found.map((row) => row.pair.shared.services);

describe("rows of the delta table", () => {
  it("are main metrics and what could not be compared; all of them when asked", () => {
    expect(services(shownRows(rows, {}))).toEqual([10, 20, 30, 40]);
    expect(services(shownRows(rows, { all: true }))).toEqual([10, 10, 20, 30, 40]);
    expect(services(shownRows(rows, { only: "node_cpu:client" }))).toEqual([10]);
  });

  it("pass by verdict and contender", () => {
    expect(services(shownRows(rows, { verdict: "worse" }))).toEqual([10, 20]);
    expect(services(shownRows(rows, { verdict: "none" }))).toEqual([40]);
    expect(shownRows(rows, { contender: 2 })).toEqual([]);
  });

  it("are sorted both ways with what has no value last", () => {
    expect(services(shownRows(rows, { sort: "change" }))).toEqual([20, 10, 30, 40]);
    expect(services(shownRows(rows, { sort: "change", descending: true }))).toEqual([
      10, 20, 30, 40,
    ]);
    expect(services(shownRows(rows, { sort: "p" }))).toEqual([20, 10, 30, 40]);
  });

  it("say once what all cases share", () => {
    expect(commonGround(rows)).toEqual({ everywhere: {}, axes: ["services"] });
    const one = rows.slice(0, 2);
    expect(commonGround(one)).toEqual({ everywhere: {}, axes: ["services"] });
  });
});
