import { Stack, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { RunReport } from "~/api/types";
import { useWords } from "~/i18n/words";
import { Columns } from "~/ui/columns";
import { Section } from "~/ui/section";
import { BarChart } from "../bar_chart";
import { layoutOf } from "../layout/layout";
import { titleOf } from "../layout/panel_chart";
import { panelsOf } from "../layout/panels";
import { reachOf } from "../reach";
import { derivedAlong, entryAxes, lossEntries } from "./entries";
import { useTexts } from "./use_texts";

/** What a case loses against another one of the same run, as bars around zero. */
export const Losses = memo(function Losses({ report }: { report: RunReport }) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const texts = useTexts();
  const charts = useMemo(
    () =>
      [...new Set(report.losses.map(({ metric }) => metric))].map((metric) => {
        const entries = lossEntries(report, metric, texts);
        const [first] = report.losses.filter((one) => one.metric === metric);
        const axis = first && derivedAlong(first);
        const axes = entryAxes(report, entries);
        // A loss is read against zero, whatever its axis: always bars.
        const layout = { ...layoutOf(axes, { x: axis }), numeric: false };
        const baseline = axis === undefined ? undefined : first?.baseline_point[axis];
        const known = entries.some(({ figure }) => figure !== null);
        const panels = known ? panelsOf(entries, axes, layout, texts.value) : [];
        return { metric, axis, baseline, panels, reach: reachOf(entries) };
      }),
    [report, texts],
  );
  if (charts.length === 0) return null;
  return (
    <Section title={t("losses")}>
      <Stack gap="md">
        {charts.map(({ metric, axis, baseline, panels, reach }) => {
          const against = baseline === undefined ? "" : word("axis_value", baseline);
          const name = t("loss_against", { metric: word("metric", metric), baseline: against });
          if (panels.length === 0) {
            return (
              <Text key={metric} c="dimmed">
                {t("no_loss", { metric: name, baseline: against, axis: word("axis", axis ?? "") })}
              </Text>
            );
          }
          return (
            <Columns key={metric} several={panels.length > 1}>
              {panels.map((panel) => (
                <BarChart
                  key={panel.key}
                  name={`loss ${metric} ${panel.key}`}
                  title={titleOf(name, panel)}
                  description={t("loss_text")}
                  y={{
                    label: word("metric", metric),
                    unit: "ratio",
                    better: word("direction", "lower"),
                    reach,
                  }}
                  groups={panel.groups}
                  zeroLabel={against}
                />
              ))}
            </Columns>
          );
        })}
      </Stack>
    </Section>
  );
});
