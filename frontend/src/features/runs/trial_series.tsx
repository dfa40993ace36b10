import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { ProvenanceOf } from "~/charts/provenance";
import { type Seconds, SeriesChart } from "~/charts/series_chart";
import { ShownAsInAddress } from "~/charts/shown_as";
import type { TimeSeries } from "~/charts/types";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { casesOptions, type RunDetail, type TrialDetail } from "~/queries/runs";
import { useMomentText } from "~/ui/moment";
import { usePointText } from "~/ui/point_text";
import { useSearchState } from "~/ui/use_search_state";

interface TrialSeriesProps {
  run: RunDetail;
  trial: TrialDetail;
  metrics: readonly Schemas["MetricDefinition"][];
}

/** What a trial measured second by second; all its charts show the same seconds. */
export function TrialSeries({ run, trial, metrics }: TrialSeriesProps) {
  const word = useWords();
  const [search, change] = useSearchState("/inside/runs/$runId");
  const [zoom, setZoom] = useState<Seconds | null>(search.zoom ?? null);
  const charts = useMemo(() => seriesByMetric(trial, metrics, word), [trial, metrics, word]);
  function onZoom(next: Seconds | null, ended: boolean) {
    setZoom(next);
    if (ended) change({ zoom: next ?? undefined });
  }
  return (
    <ProvenanceOf lines={useProvenanceLines(run, trial)}>
      <ShownAsInAddress view={search} change={change}>
        {charts.map(([metric, series]) => (
          <SeriesChart
            key={metric}
            name={`series ${metric}`}
            title={word("metric", metric)}
            series={series}
            fileName={`trial-${trial.id}-${metric}`}
            zoom={zoom}
            onZoom={onZoom}
          />
        ))}
      </ShownAsInAddress>
    </ProvenanceOf>
  );
}

/** Which trial of which case it is, where and when. */
function useProvenanceLines(run: RunDetail, trial: TrialDetail): string[] {
  const { t } = useTranslation("runs");
  const pointText = usePointText();
  const moment = useMomentText();
  const cases = useQuery(casesOptions(run.id));
  const point = cases.data?.find(({ id }) => id === trial.case_id)?.point;
  const number = t(trial.warmup ? "warmup_number" : "trial_number", { number: trial.number });
  return [
    run.name,
    ...(point ? [pointText(point)] : []),
    `${t("round_short")} ${trial.round}, ${number}`,
    listed(run.clusters.map(({ name }) => name)),
    ...(trial.started_at === null ? [] : [moment(trial.started_at)]),
  ];
}

/** A chart for each metric; its subjects (the nodes) are the lines. */
function seriesByMetric(
  trial: TrialDetail,
  metrics: TrialSeriesProps["metrics"],
  word: ReturnType<typeof useWords>,
): [string, TimeSeries[]][] {
  const unitOf = new Map(metrics.map((metric) => [metric.name, metric.unit]));
  const found = new Map<string, TimeSeries[]>();
  for (const { metric, subject, offsets, values } of trial.series) {
    const unit = unitOf.get(metric);
    if (unit === undefined) continue;
    const label = subject === "" ? word("metric", metric) : subject;
    const line = { key: `${metric} ${subject}`, label, unit, offsets, values };
    found.set(metric, [...(found.get(metric) ?? []), line]);
  }
  return [...found];
}
