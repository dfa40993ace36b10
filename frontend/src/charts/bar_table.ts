import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import { FIGURE_COLUMNS, figureCells, figureColumns } from "./figure_cells";
import type { BarGroup, ChartTable } from "./types";

/** The table twin of bars: a row for each, those without a value included. */
export function barTable(
  groups: readonly BarGroup[],
  y: { label: string; unit: Unit },
  t: TFunction<"charts">,
): ChartTable {
  return {
    columns: [{ label: t("column.group") }, { label: t("column.series") }, ...figureColumns(y, t)],
    figure: FIGURE_COLUMNS,
    rows: groups.flatMap(({ label, bars }) =>
      bars.map((bar) => [label, bar.label, ...figureCells(bar, t)]),
    ),
  };
}
