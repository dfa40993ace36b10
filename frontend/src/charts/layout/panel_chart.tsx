import { use } from "react";
import { useWords } from "~/i18n/words";
import { BarChart, type BarChartProps } from "../bar_chart";
import { ChartOverlays } from "../chart_overlay";
import { CurveChart, type CurveChartProps } from "../curve_chart";
import type { ChartView } from "../view";
import type { Axes } from "./axes";
import { bestXScale, type Layout } from "./layout";
import type { Panel } from "./panels";

interface PanelChartProps extends Pick<BarChartProps, "name" | "title" | "description" | "y"> {
  panel: Panel;
  axes: Axes;
  layout: Layout;
  /** What of the view says the scales. */
  scales: Pick<ChartView, "xScale" | "yScale">;
  onScaleChange: CurveChartProps["onScaleChange"];
}

/** One panel: curves over numbers, bars over words. */
export function PanelChart(props: PanelChartProps) {
  const { panel, axes, layout, scales, onScaleChange, name, title, description, y } = props;
  const word = useWords();
  const beside = use(ChartOverlays)?.({ y, panel: panel.key, layout });
  const shared = {
    name: `${name} ${panel.key}`,
    title: titleOf(title, panel),
    description: beside ? beside.describe(description) : description,
    beside,
  };
  const x = axes.get(layout.x ?? "");
  return layout.numeric && x !== undefined ? (
    <CurveChart
      {...shared}
      x={{ label: word("axis", x.name), scale: scales.xScale ?? bestXScale(x.values) }}
      y={{ ...y, scale: scales.yScale ?? "linear" }}
      curves={panel.curves}
      onScaleChange={onScaleChange}
    />
  ) : (
    <BarChart {...shared} y={y} groups={panel.groups} stacked={panel.stacked} />
  );
}

/** "Throughput · TCP"; what the panel's title says of the metric already is not said twice. */
export function titleOf(name: string, { title }: Panel): string {
  const [metric = name] = name.split(/[(（]/);
  if (title.startsWith(metric.trim())) return title;
  return title === "" ? name : `${name} · ${title}`;
}
