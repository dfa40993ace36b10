import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Schemas } from "~/api/types";
import { type Seconds, SeriesChart } from "~/charts/series_chart";
import { ShownAsInAddress } from "~/charts/shown_as";
import type { TimeSeries } from "~/charts/types";
import { useWords } from "~/i18n/words";
import type { TrialDetail } from "~/queries/runs";

interface TrialSeriesProps {
  trial: TrialDetail;
  metrics: readonly Schemas["MetricDefinition"][];
}

/** What a trial measured second by second; all its charts show the same seconds. */
export function TrialSeries({ trial, metrics }: TrialSeriesProps) {
  const word = useWords();
  const search = useSearch({ from: "/inside/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const [zoom, setZoom] = useState<Seconds | null>(search.zoom ?? null);
  const charts = useMemo(() => seriesByMetric(trial, metrics, word), [trial, metrics, word]);
  const change = (part: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false });
  function onZoom(next: Seconds | null, ended: boolean) {
    setZoom(next);
    if (ended) change({ zoom: next ?? undefined });
  }
  return (
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
  );
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
