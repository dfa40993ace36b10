import { useMemo } from "react";
import type { RunReport } from "~/api/types";
import { bracketed, clauses } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { useStableValue } from "~/ui/use_stable_value";
import { panelsOf } from "../layout/panels";
import { reachOf, reachOfWholes } from "../reach";
import type { ChartView } from "../view";
import { centredEntries, entryAxes, hasCounted, metricEntries } from "./entries";
import { metricOptions } from "./metrics";
import { reportLayout } from "./pairs";
import { useTexts } from "./use_texts";

/**
 * The metrics of a report to choose from, and what is drawn of the chosen one; null for nothing.
 * Medians are of all trials; centres are what a report's differences are computed from.
 */
export function useSelection(
  report: RunReport,
  view: ChartView,
  by: "medians" | "centres" = "medians",
) {
  const word = useWords();
  const texts = useTexts();
  const options = useMemo(() => metricOptions(report), [report]);
  const choices = options.map(({ name, unit, direction, main }) => ({
    key: name,
    // On a phone a list's end is cut off: which way is better comes before it.
    label: bracketed(
      word("metric", name),
      clauses(word("direction", direction), word("unit", unit)),
    ),
    main,
  }));
  const metric = options.find(({ name }) => name === view.metric) ?? options[0];
  const { x, series, facet, xScale, yScale } = view;
  const drawing = useStableValue({ x, series, facet, xScale, yScale });
  const selection = useMemo(() => {
    if (metric === undefined || !hasCounted(report)) return null;
    const medians = metricEntries(report, metric.name, texts);
    const centred = by === "centres" ? centredEntries(report, metric.name, medians) : null;
    const entries = centred ?? medians;
    const { parts } = metric;
    const axes = entryAxes(report, entries, parts);
    const whole = parts.length > 0;
    // A whole of several parts is a bar, whatever it is drawn along.
    const asked = reportLayout(axes, drawing);
    const layout = { ...asked, numeric: asked.numeric && !whole };
    const panels = panelsOf(entries, axes, layout, texts.value, parts);
    const reach = whole ? reachOfWholes(panels) : reachOf(entries);
    return {
      metric,
      axes,
      layout,
      entries,
      centred: centred !== null,
      panels,
      reach,
      scales: drawing,
    };
  }, [report, metric, drawing, texts, by]);
  return { choices, selection };
}
