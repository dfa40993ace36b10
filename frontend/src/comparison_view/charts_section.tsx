import { Stack, Text, Title } from "@mantine/core";
import { memo, useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { metricOf } from "~/api/headline";
import type { Comparison, Point } from "~/api/types";
import { Controls } from "~/charts/layout/controls";
import type { ChartView } from "~/charts/view";
import { bracketed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { useStableValue } from "~/ui/use_stable_value";
import { CurveFindings } from "./curve_findings";
import { FacetCharts } from "./facet_charts";
import { spotLayout } from "./model/charts";
import { comparedCasesOf, comparedCasesWith } from "./model/compared_cases";
import { type ComparedMetric, metricsOf } from "./model/metrics";
import type { Sides } from "./model/sides";
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
  const { metrics, shown } = useMetrics(props.comparison, props.view);
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

interface AnswerProps extends Props {
  about: Point | "first";
}

/** The values of the metric that the view names, in the one chart that shows a case. */
export function AnswerChart({ comparison, sides, view, change, about }: AnswerProps) {
  const stated = view.metric === undefined ? metricOf(comparison.headline) : {};
  const { shown } = useMetrics(comparison, { ...view, ...stated });
  const drawing = useDrawing({ comparison, sides, metric: shown, view });
  // Callers read the case from the headline each time they are drawn.
  const part = useStableValue(about);
  const { metric } = drawing;
  return metric && <Drawn {...drawing} metric={metric} change={change} about={part} />;
}

function useMetrics(comparison: Comparison, { metric, subject }: ComparisonViewState) {
  const metrics = useMemo(() => metricsOf(comparison), [comparison]);
  const shown =
    metrics.find((one) => one.metric === metric && one.subject === (subject ?? "")) ?? metrics[0];
  return { metrics, shown };
}

function MetricCharts({
  comparison,
  sides,
  view,
  change,
  metrics,
  metric,
}: Props & { metrics: ComparedMetric[]; metric: ComparedMetric }) {
  const metricText = useMetricText();
  const word = useWords();
  const { axes, layout } = useDrawn(comparison, metric, view);
  const drawing = useDrawing({ comparison, sides, metric, view });
  const choose = (key: string) => {
    const next = metrics.find((one) => one.key === key);
    change({ metric: next?.metric, subject: next?.subject || undefined });
  };
  return (
    <Stack>
      <Controls
        metrics={metrics.map(({ key, metric, subject, main, direction }) => ({
          key,
          label: bracketed(metricText(metric, subject), word("direction", direction)),
          main,
        }))}
        metric={metric.key}
        onMetric={choose}
        axes={axes}
        layout={layout}
        view={view}
        change={change}
      />
      <Drawn {...drawing} change={change} />
    </Stack>
  );
}

const Drawn = memo(function Drawn({
  comparison,
  sides,
  metric,
  view,
  change,
  about,
}: Drawing<ComparedMetric> & { change: ChangeView; about?: Point | "first" }) {
  return (
    <>
      <FacetCharts
        {...useDrawn(comparison, metric, view)}
        sides={sides}
        metric={metric}
        confidence={1 - comparison.alpha}
        scales={view}
        about={about}
        onScale={(axis, scale) => change(axis === "x" ? { xScale: scale } : { yScale: scale })}
      />
      {about === undefined && comparison.contenders.some(({ curves }) => curves.length > 0) && (
        <CurveFindings comparison={comparison} sides={sides} metric={metric} />
      )}
    </>
  );
});

interface Drawing<Metric> {
  comparison: Comparison;
  sides: Sides;
  metric: Metric;
  view: ChartView;
}

/** What was chosen is shown at once, and drawn when there is time: all of it together. */
function useDrawing<Metric>(asked: Drawing<Metric>): Drawing<Metric> {
  const { comparison, sides, metric } = asked;
  const { x, series, facet, xScale, yScale } = asked.view;
  const view = useStableValue({ x, series, facet, xScale, yScale });
  return useDeferredValue(
    useMemo(() => ({ comparison, sides, metric, view }), [comparison, sides, metric, view]),
  );
}

/** What of the comparison the charts of a metric show, and how. */
function useDrawn(comparison: Comparison, metric: ComparedMetric, view: ChartView) {
  const all = useMemo(() => comparedCasesOf(comparison), [comparison]);
  const spots = useMemo(() => comparedCasesWith(all, metric.key), [all, metric.key]);
  return { spots, ...spotLayout(comparison, spots, view) };
}
