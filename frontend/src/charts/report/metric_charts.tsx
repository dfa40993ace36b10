import { Text } from "@mantine/core";
import { memo, useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { Columns } from "~/ui/columns";
import type { Axes } from "../layout/axes";
import type { Layout } from "../layout/layout";
import { PanelChart, titleOf } from "../layout/panel_chart";
import type { Panel } from "../layout/panels";
import type { ScaleName } from "../types";
import type { ChartView } from "../view";
import { PairCells } from "./cells";
import type { MetricOption } from "./metrics";
import { isPairs } from "./pairs";

interface MetricChartsProps {
  metric: MetricOption;
  axes: Axes;
  layout: Layout;
  panels: Panel[];
  /** What all of them hold, so that they can be read against each other. */
  reach: number[];
  description?: string | undefined;
  scales: ChartView;
  onScale: (change: ChartView) => void;
}

/** A chart for each panel: curves over numbers, bars over words. */
export const MetricCharts = memo(function MetricCharts(props: MetricChartsProps) {
  const { metric, axes, layout, panels, reach, description, scales, onScale } = props;
  const { t } = useTranslation("charts");
  const word = useWords();
  const onScaleChange = useCallback(
    (axis: "x" | "y", scale: ScaleName) =>
      onScale(axis === "x" ? { xScale: scale } : { yScale: scale }),
    [onScale],
  );
  if (panels.length === 0) return <Text c="dimmed">{t("nothing_measured")}</Text>;
  const name = word("metric", metric.name);
  const y = {
    label: name,
    unit: metric.unit,
    better: word("direction", metric.direction),
    lower: metric.direction === "none" ? undefined : metric.direction === "lower",
    reach,
    metric: metric.name,
  };
  return (
    <Columns several={panels.length > 1}>
      {panels.map((panel) =>
        isPairs(axes, layout) ? (
          <PairCells
            key={panel.key}
            name={`measured ${panel.key}`}
            title={titleOf(name, panel)}
            y={y}
            groups={panel.groups}
          />
        ) : (
          <PanelChart
            key={panel.key}
            name="measured"
            title={name}
            description={description}
            y={y}
            panel={panel}
            axes={axes}
            layout={layout}
            scales={scales}
            onScaleChange={onScaleChange}
          />
        ),
      )}
    </Columns>
  );
});
