import { Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useMemo } from "react";
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
import type { ComparisonViewState } from "./view";

interface Props {
  comparison: Comparison;
  sides: Sides;
  view: ComparisonViewState;
  onView: (view: ComparisonViewState) => void;
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
  onView,
  metrics,
  metric,
}: Props & { metrics: ComparedMetric[]; metric: ComparedMetric }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const metricText = useMetricText();
  const all = useMemo(() => spotsOf(comparison), [comparison]);
  const spots = useMemo(() => spotsWith(all, metric.key), [all, metric.key]);
  const layout = layoutOf(comparison, spots, view);
  const axes = [...layout.axes.keys()];
  const options = (mains: boolean) =>
    metrics
      .filter((one) => one.main === mains)
      .map((one) => ({ value: one.key, label: metricText(one.metric, one.subject) }));
  const choose = (key: string) => {
    const next = metrics.find((one) => one.key === key);
    onView({ ...view, metric: next?.metric, subject: next?.subject || undefined });
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
              onChange={(event) => onView({ ...view, x: event.currentTarget.value })}
              data={axes.map((axis) => ({ value: axis, label: word("axis", axis) }))}
            />
            <NativeSelect
              label={t("a_chart_for_each")}
              value={layout.facet ?? NO_FACET}
              onChange={(event) => onView({ ...view, facet: event.currentTarget.value })}
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
      <FacetCharts
        facets={facetsOf(spots, layout)}
        layout={layout}
        sides={sides}
        metric={metric}
        relative={isRelative(spots, metric)}
        confidence={1 - comparison.alpha}
        onScale={(axis, scale) => onView({ ...view, [axis === "x" ? "xScale" : "yScale"]: scale })}
      />
      <CurveFindings comparison={comparison} sides={sides} metric={metric} />
    </Stack>
  );
}
