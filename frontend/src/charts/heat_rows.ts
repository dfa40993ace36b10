import type { TFunction } from "i18next";
import type { Figure, Unit } from "~/api/types";
import { type WrittenFigure, writeChange, writeFigure } from "~/quantities/format";
import type { BarGroup, ChartTable } from "./types";

/** The columns that cells lie in, in the order in which rows have them. */
export function columnsOf(groups: readonly BarGroup[]): { key: string; label: string }[] {
  const found = new Map<string, string>();
  for (const { bars } of groups) for (const { key, label } of bars) found.set(key, label);
  return [...found].map(([key, label]) => ({ key, label }));
}

/** The share that has the deepest colour: the largest of all that are drawn alike. */
export function mostOf(groups: readonly BarGroup[]): number {
  const values = groups.flatMap(({ bars }) => bars.map(({ figure }) => figure?.value ?? 0));
  return Math.max(0, ...values.map(Math.abs));
}

/** A change with its sign and what its interval supports. */
export function signed(figure: Figure, unit: Unit): WrittenFigure {
  return unit === "ratio" ? writeChange(figure) : writeFigure(figure, unit, { signed: true });
}

/** The table twin of cells: a row for each, those without a value included. */
export function heatTable(
  groups: readonly BarGroup[],
  y: { label: string; unit: Unit },
  differences: Unit,
  axes: { rows: string; columns: string },
  t: TFunction<"charts">,
): ChartTable {
  return {
    columns: [
      { label: axes.rows },
      { label: axes.columns },
      { label: y.label, unit: y.unit },
      { label: t("column.low"), unit: y.unit },
      { label: t("column.high"), unit: y.unit },
      { label: t("column.difference"), unit: differences },
      { label: t("column.difference_low"), unit: differences },
      { label: t("column.difference_high"), unit: differences },
      { label: t("column.clear") },
      { label: t("column.n") },
      { label: t("column.state") },
      { label: t("column.note") },
    ],
    rows: groups.flatMap(({ label: row, bars }) =>
      bars.map(({ label, figure, difference, clear, n, state, note }) => [
        row,
        label,
        figure?.value ?? null,
        figure?.low ?? null,
        figure?.high ?? null,
        difference?.value ?? null,
        difference?.low ?? null,
        difference?.high ?? null,
        figure === null ? "" : t(clear ? "clear" : "not_clear"),
        n,
        t(`state.${state}`),
        note ?? "",
      ]),
    ),
  };
}
