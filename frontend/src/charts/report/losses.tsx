import { Stack, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { RunReport, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { Columns } from "~/ui/columns";
import { Section } from "~/ui/section";
import { BarChart } from "../bar_chart";
import { isGrid, layoutOf } from "../layout/layout";
import { titleOf } from "../layout/panel_chart";
import { type Panel, panelsOf } from "../layout/panels";
import { reachOf } from "../reach";
import { HeatCells, PairCells } from "./cells";
import { derivedAlong, entryAxes, lossEntries } from "./entries";
import { isPairs, reportLayout } from "./pairs";
import { useTexts } from "./use_texts";

/** What a case loses against another one of the same run, as bars around zero. */
export const Losses = memo(function Losses({ report }: { report: RunReport }) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const texts = useTexts();
  const charts = useMemo(
    () =>
      [...new Set(report.losses.map(({ key }) => key.metric))].map((metric) => {
        const entries = lossEntries(report, metric, texts);
        const rows = report.losses.filter(({ key }) => key.metric === metric);
        const [first] = rows;
        const axis = first && derivedAlong(first);
        const axes = entryAxes(report, entries);
        // A loss is read against zero, whatever its axis: always bars.
        const paired = reportLayout(axes, {});
        const layout = isPairs(axes, paired)
          ? paired
          : { ...layoutOf(axes, { x: axis }), numeric: false };
        const grid = isGrid(axes, layout)
          ? { rows: word("axis", layout.x ?? ""), columns: word("axis", layout.series[0] ?? "") }
          : null;
        const baseline = axis === undefined ? undefined : first?.key.against?.[axis];
        const known = entries.some(({ figure }) => figure !== null);
        const panels = known ? panelsOf(entries, axes, layout, texts.value) : [];
        const unit = rows.find(({ code }) => code === "difference")?.key.unit as Unit | undefined;
        const pairs = isPairs(axes, layout);
        return { metric, axis, baseline, unit, grid, pairs, panels, reach: reachOf(entries) };
      }),
    [report, texts, word],
  );
  if (charts.length === 0) return null;
  return (
    <Section title={t("losses")}>
      <Stack gap="md">
        {charts.map(({ metric, axis = "", baseline, unit, grid, pairs, panels, reach }) => {
          const against = texts.value(axis, baseline);
          const name = t("loss_against", { metric: word("metric", metric), baseline: against });
          if (panels.length === 0) {
            return (
              <Text key={metric} c="dimmed">
                {t("no_loss", { metric: name, baseline: against, axis: word("axis", axis) })}
              </Text>
            );
          }
          return (
            <Columns key={metric} several={panels.length > 1}>
              {panels.map((panel) => {
                const shared = {
                  name: `loss ${metric} ${panel.key}`,
                  title: titleOf(name, panel),
                  groups: panel.groups,
                };
                const label = word("metric", metric);
                const y = { label, unit: "ratio", better: word("direction", "lower") } as const;
                if (pairs) {
                  return <PairCells key={panel.key} {...shared} y={{ ...y, lower: true }} />;
                }
                return grid === null ? (
                  <BarChart
                    key={panel.key}
                    {...shared}
                    description={t("loss_text")}
                    y={{ ...y, reach }}
                    zeroLabel={against}
                  />
                ) : (
                  <HeatCells
                    key={panel.key}
                    {...shared}
                    description={t("heat_text")}
                    y={{ ...y, reach: valuesOf(panels) }}
                    differences={unit ?? "ratio"}
                    axes={grid}
                  />
                );
              })}
            </Columns>
          );
        })}
      </Stack>
    </Section>
  );
});

/** What all panels' cells are, so that one colour means one share in each of them. */
function valuesOf(panels: readonly Panel[]): number[] {
  const bars = panels.flatMap(({ groups }) => groups.flatMap((group) => group.bars));
  return bars.flatMap(({ figure }) => (figure === null ? [] : [figure.value]));
}
