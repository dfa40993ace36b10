import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import type { ChartTable, Curve } from "./types";

/** The table twin of curves: a row for each point, those without a value included. */
export function curveTable(
  curves: readonly Curve[],
  xLabel: string,
  y: { label: string; unit: Unit },
  t: TFunction<"charts">,
): ChartTable {
  return {
    columns: [
      { label: t("column.series") },
      { label: xLabel },
      { label: y.label, unit: y.unit },
      { label: t("column.low"), unit: y.unit },
      { label: t("column.high"), unit: y.unit },
      { label: t("column.confidence"), unit: "ratio" },
      { label: t("column.n") },
      { label: t("column.state") },
      { label: t("column.note") },
    ],
    figure: { value: 2, low: 3, high: 4, state: 7 },
    rows: curves.flatMap(({ label, points }) =>
      points.map(({ x, figure, n, state, note }) => [
        label,
        x,
        figure?.value ?? null,
        figure?.low ?? null,
        figure?.high ?? null,
        figure?.confidence ?? null,
        n,
        t(`state.${state}`),
        note ?? "",
      ]),
    ),
  };
}
