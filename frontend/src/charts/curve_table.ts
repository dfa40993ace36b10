import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import { FIGURE_COLUMNS, figureCells, figureColumns } from "./figure_cells";
import type { ChartTable, Curve } from "./types";

/** The table twin of curves: a row for each point, those without a value included. */
export function curveTable(
  curves: readonly Curve[],
  xLabel: string,
  y: { label: string; unit: Unit },
  t: TFunction<"charts">,
): ChartTable {
  return {
    columns: [{ label: t("column.series") }, { label: xLabel }, ...figureColumns(y, t)],
    figure: FIGURE_COLUMNS,
    rows: curves.flatMap(({ label, points }) =>
      points.map((point) => [label, point.x, ...figureCells(point, t)]),
    ),
  };
}
