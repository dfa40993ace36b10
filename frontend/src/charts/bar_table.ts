import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import type { BarGroup, ChartTable } from "./types";

/** The table twin of bars: a row for each, those without a value included. */
export function barTable(
  groups: readonly BarGroup[],
  y: { label: string; unit: Unit },
  t: TFunction<"charts">,
): ChartTable {
  return {
    columns: [
      { label: t("column.group") },
      { label: t("column.series") },
      { label: y.label, unit: y.unit },
      { label: t("column.low"), unit: y.unit },
      { label: t("column.high"), unit: y.unit },
      { label: t("column.confidence"), unit: "ratio" },
      { label: t("column.n") },
      { label: t("column.state") },
      { label: t("column.note") },
    ],
    figure: { value: 2, low: 3, high: 4, state: 7 },
    rows: groups.flatMap(({ label: group, bars }) =>
      bars.map(({ label, figure, n, state, note }) => [
        group,
        label,
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
