import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import type { BarGroup, ChartTable, Curve } from "./types";

type ChartPoint = BarGroup["bars"][number] | Curve["points"][number];

/** The columns of a table twin that tell a figure, after the two that tell of what it is. */
export function figureColumns(
  y: { label: string; unit: Unit },
  t: TFunction<"charts">,
): ChartTable["columns"] {
  return [
    { label: y.label, unit: y.unit },
    { label: t("column.low"), unit: y.unit },
    { label: t("column.high"), unit: y.unit },
    { label: t("column.confidence"), unit: "ratio" },
    { label: t("column.n") },
    { label: t("column.state") },
    { label: t("column.note") },
  ];
}

/** Where they are in such a table. */
export const FIGURE_COLUMNS: ChartTable["figure"] = { value: 2, low: 3, high: 4, state: 7 };

/** The cells of them; a figure that is not there leaves its own empty. */
export function figureCells(
  { figure, n, state, note }: ChartPoint,
  t: TFunction<"charts">,
): ChartTable["rows"][number] {
  return [
    figure?.value ?? null,
    figure?.low ?? null,
    figure?.high ?? null,
    figure?.confidence ?? null,
    n,
    t(`state.${state}`),
    note ?? "",
  ];
}
