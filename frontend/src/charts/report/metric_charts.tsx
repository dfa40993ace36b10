import { Text } from "@mantine/core";
import { memo, useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { Columns } from "~/ui/columns";
import { BarChart } from "../bar_chart";
import { CurveChart } from "../curve_chart";
import type { ScaleName } from "../types";
import type { Axes, Layout } from "./layout";
import type { MetricOption } from "./metrics";
import { bestXScale, type Panel } from "./select";

interface MetricChartsProps {
  metric: MetricOption;
  axes: Axes;
  layout: Layout;
  panels: Panel[];
  xScale?: ScaleName;
  yScale?: ScaleName;
  onScale: (change: { xScale?: ScaleName; yScale?: ScaleName }) => void;
}

/** A chart for each panel: curves over numbers, bars over words. */
export const MetricCharts = memo(function MetricCharts(props: MetricChartsProps) {
  const { metric, axes, layout, panels, onScale } = props;
  const { t } = useTranslation("charts");
  const word = useWords();
  const onScaleChange = useCallback(
    (axis: "x" | "y", scale: ScaleName) =>
      onScale(axis === "x" ? { xScale: scale } : { yScale: scale }),
    [onScale],
  );
  if (panels.length === 0) return <Text c="dimmed">{t("nothing_measured")}</Text>;
  const name = word("metric", metric.name);
  const direction = word("direction", metric.direction);
  const title = (panel: Panel) => (panel.title === "" ? name : `${name} · ${panel.title}`);
  return (
    <Columns several={panels.length > 1}>
      {panels.map((panel) =>
        layout.numeric && layout.x !== null ? (
          <CurveChart
            key={panel.key}
            name={`measured ${panel.key}`}
            title={title(panel)}
            description={direction}
            x={{
              label: word("axis", layout.x),
              scale: props.xScale ?? bestXScale(axes.get(layout.x) ?? []),
            }}
            y={{ label: name, unit: metric.unit, scale: props.yScale ?? "linear" }}
            curves={panel.curves}
            onScaleChange={onScaleChange}
          />
        ) : (
          <BarChart
            key={panel.key}
            name={`measured ${panel.key}`}
            title={title(panel)}
            description={direction}
            y={{ label: name, unit: metric.unit }}
            groups={panel.groups}
          />
        ),
      )}
    </Columns>
  );
});
