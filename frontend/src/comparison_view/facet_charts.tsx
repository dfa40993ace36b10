import { Stack } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Point } from "~/api/types";
import { BarChart } from "~/charts/bar_chart";
import type { Axes } from "~/charts/layout/axes";
import type { Layout } from "~/charts/layout/layout";
import { PanelChart, titleOf } from "~/charts/layout/panel_chart";
import { type Panel, panelAbout, panelsOf } from "~/charts/layout/panels";
import { useValueName } from "~/charts/layout/use_value_name";
import { Pager, usePages } from "~/charts/pages";
import { reachIn, reachOf } from "~/charts/reach";
import type { ScaleName } from "~/charts/types";
import type { ChartView } from "~/charts/view";
import { useWords } from "~/i18n/words";
import { Columns } from "~/ui/columns";
import {
  changeEntries,
  huedSides,
  isRelative,
  namedSides,
  valueEntries,
  withSides,
} from "./model/charts";
import type { ComparedCase } from "./model/compared_cases";
import type { ComparedMetric } from "./model/metrics";
import type { Sides } from "./model/sides";
import { useMetricText, useReasons } from "./use_words";

interface Props {
  spots: ComparedCase[];
  axes: Axes;
  layout: Layout;
  sides: Sides;
  metric: ComparedMetric;
  confidence: number;
  scales: ChartView;
  onScale: (axis: "x" | "y", scale: ScaleName) => void;
  /** The values alone, in one chart: that which shows this case, else the first. */
  about?: Point | "first";
}

/** For each value of the facets: the values on both sides, and the changes. */
export function FacetCharts(props: Props) {
  const { spots, axes, sides, metric, confidence, scales, about } = props;
  const { t } = useTranslation("compare");
  const word = useWords();
  const metricText = useMetricText();
  const why = useReasons();
  const nameValue = namedSides(sides, useValueName());
  const layout = withSides(props.layout);
  const hue = huedSides(sides);
  // As a share of the baseline where that has a meaning; else in the metric's unit.
  const relative = isRelative(spots, metric);
  const changed = changeEntries(spots, sides, metric, relative, why);
  const measured = valueEntries(spots, sides, metric, why);
  const better = word("direction", metric.direction);
  // All facets share their scales, so that they can be read against each other.
  const reach = { values: reachOf(measured), changes: reachOf(changed) };
  const changes = panelsOf(
    changed,
    axes,
    // A change is read against zero, whatever it is drawn along: always bars.
    { ...layout, numeric: false },
    nameValue,
    [],
    hue,
  );
  const values = panelsOf(measured, axes, layout, nameValue, [], hue);
  const name = metricText(metric.metric, metric.subject);
  const percent = Math.round(confidence * 100);
  const drawn = (panel: Panel, valuesReach = reach.values) => (
    <Portions panel={panel}>
      {(part) => (
        <PanelChart
          panel={part}
          axes={axes}
          layout={layout}
          scales={scales}
          onScaleChange={props.onScale}
          name="values"
          title={name}
          description={t("values_description", { confidence: percent })}
          y={{
            label: name,
            unit: metric.unit,
            better,
            metric: metric.metric,
            reach: valuesReach,
          }}
        />
      )}
    </Portions>
  );
  if (about !== undefined) {
    const [alone] = panelAbout(values, layout.facets, about);
    return alone && drawn(alone, reachIn(measured, layout.facets, alone));
  }
  return (
    <Columns from="xl">
      {values.map((panel, place) => (
        <Fragment key={`${metric.key} ${panel.key}`}>
          {drawn(panel)}
          <Portions panel={changes[place] as Panel}>
            {(part) => (
              <BarChart
                name={`changes ${panel.key}`}
                title={titleOf(t("change_of", { metric: name }), panel)}
                description={t("changes_description", { confidence: percent })}
                y={{
                  label: t(relative ? "relative_change" : "difference"),
                  unit: relative ? "ratio" : metric.unit,
                  better,
                  reach: reach.changes,
                }}
                dots={t("single_rounds")}
                groups={part.groups}
                zeroLabel={t("as_baseline", { side: sides.baseline.short })}
              />
            )}
          </Portions>
        </Fragment>
      ))}
    </Columns>
  );
}

/** More bars than this at once are neither legible nor quick. */
const MOST_BARS = 48;

/** A panel with all its groups where they are few, else with one portion after the other. */
function Portions({ panel, children }: { panel: Panel; children: (part: Panel) => ReactNode }) {
  const bars = Math.max(1, panel.groups[0]?.bars.length ?? 1);
  const pages = usePages(panel.groups, Math.max(1, Math.floor(MOST_BARS / bars)));
  return (
    <Stack gap="xs" miw={0}>
      {children({ ...panel, groups: [...pages.shown] })}
      <Pager pages={pages} />
    </Stack>
  );
}
