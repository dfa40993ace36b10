import { Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { memo, useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison } from "~/api/types";
import { useWords } from "~/i18n/words";
import { CurveFindings } from "./curve_findings";
import { FacetCharts } from "./facet_charts";
import { facetsOf, isRelative } from "./model/charts";
import { layoutOf, NO_FACET } from "./model/layout";
import { type ComparedMetric, metricsOf } from "./model/metrics";
import type { Sides } from "./model/sides";
import { spotsOf, spotsWith } from "./model/spots";
import { useMetricText } from "./use_words";
import type { ChangeView, ComparisonViewState } from "./view";

interface Props {
  comparison: Comparison;
  sides: Sides;
  view: ComparisonViewState;
  change: ChangeView;
}

/** One metric on both sides, and what each contender changes of it. */
export function ChartsSection(props: Props) {
  const { t } = useTranslation("compare");
  const metrics = useMemo(() => metricsOf(props.comparison), [props.comparison]);
  const { metric, subject } = props.view;
  const shown =
    metrics.find((one) => one.metric === metric && one.subject === (subject ?? "")) ?? metrics[0];
  return (
    <section aria-labelledby="charts">
      <Title order={2} size="h4" id="charts" mb="sm">
        {t("charts")}
      </Title>
      {shown === undefined ? (
        <Text c="dimmed">{t("no_effects")}</Text>
      ) : (
        <MetricCharts {...props} metrics={metrics} metric={shown} />
      )}
    </section>
  );
}

function MetricCharts({
  comparison,
  sides,
  view,
  change,
  metrics,
  metric,
}: Props & { metrics: ComparedMetric[]; metric: ComparedMetric }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const metricText = useMetricText();
  const { layout } = useDrawn(comparison, metric, view);
  const { x, facet, xScale, yScale } = view;
  // What was chosen is shown at once, and drawn when there is time for it.
  const shown = useDeferredValue(
    useMemo(
      () => ({ metric, view: { x, facet, xScale, yScale } }),
      [metric, x, facet, xScale, yScale],
    ),
  );
  const axes = [...layout.axes.keys()];
  const options = (mains: boolean) =>
    metrics
      .filter((one) => one.main === mains)
      .map((one) => ({ value: one.key, label: metricText(one.metric, one.subject) }));
  const choose = (key: string) => {
    const next = metrics.find((one) => one.key === key);
    change({ metric: next?.metric, subject: next?.subject || undefined });
  };
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={t("metric")}
          value={metric.key}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[
            { group: t("main_metrics"), items: options(true) },
            { group: t("other_metrics"), items: options(false) },
          ].filter(({ items }) => items.length > 0)}
        />
        {axes.length > 1 && (
          <>
            <NativeSelect
              label={t("along_x")}
              value={layout.x}
              onChange={(event) => change({ x: event.currentTarget.value })}
              data={axes.map((axis) => ({ value: axis, label: word("axis", axis) }))}
            />
            <NativeSelect
              label={t("a_chart_for_each")}
              value={layout.facet ?? NO_FACET}
              onChange={(event) => change({ facet: event.currentTarget.value })}
              data={[
                { value: NO_FACET, label: t("no_facet") },
                ...axes
                  .filter((axis) => axis !== layout.x)
                  .map((axis) => ({ value: axis, label: word("axis", axis) })),
              ]}
            />
          </>
        )}
      </Group>
      <Drawn {...shown} comparison={comparison} sides={sides} change={change} />
    </Stack>
  );
}

const Drawn = memo(function Drawn({
  comparison,
  sides,
  metric,
  view,
  change,
}: Props & { metric: ComparedMetric }) {
  const { spots, layout } = useDrawn(comparison, metric, view);
  return (
    <>
      <FacetCharts
        facets={facetsOf(spots, layout)}
        layout={layout}
        sides={sides}
        metric={metric}
        relative={isRelative(spots, metric)}
        confidence={1 - comparison.alpha}
        onScale={(axis, scale) => change(axis === "x" ? { xScale: scale } : { yScale: scale })}
      />
      <CurveFindings comparison={comparison} sides={sides} metric={metric} />
    </>
  );
});

/** What of the comparison the charts of a metric show, and how. */
function useDrawn(comparison: Comparison, metric: ComparedMetric, view: ComparisonViewState) {
  const all = useMemo(() => spotsOf(comparison), [comparison]);
  const spots = useMemo(() => spotsWith(all, metric.key), [all, metric.key]);
  return { spots, layout: layoutOf(comparison, spots, view) };
}
