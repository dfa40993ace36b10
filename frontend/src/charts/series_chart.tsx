import { Button, Group, RangeSlider, Stack, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "~/quantities/format";
import { ChartFrame } from "./chart_frame";
import { fileNameOf } from "./exports/download";
import type { LegendEntry } from "./legend";
import { lineLook } from "./palette";
import { SeriesPlot } from "./series_plot";
import { byUnit, extentOf, seriesTable } from "./series_table";
import type { TimeSeries } from "./types";

export type Seconds = [from: number, to: number];

export interface SeriesChartProps {
  title: string;
  /** Names the chart in the page's address, whatever the language. */
  name?: string;
  description?: ReactNode;
  series: TimeSeries[];
  /** The seconds that are drawn, all of them if null; charts of one trial share it. */
  zoom: Seconds | null;
  /** While a hand moves the slider, and (`ended`) when it lets go. */
  onZoom: (zoom: Seconds | null, ended: boolean) => void;
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

/** Steps of the slider that zooms. */
const STEPS = 200;

/** Values over a trial's seconds, a chart for each unit; framed, with table twin and exports. */
export function SeriesChart(props: SeriesChartProps) {
  const { title, name, description, series, fileName, link, onZoom } = props;
  const { t } = useTranslation("charts");
  const { ref, width } = useElementSize();
  const extent = useMemo(() => extentOf(series), [series]);
  const length = extent[1] - extent[0] || 1;
  const second = (step: number) => Number((extent[0] + (length * step) / STEPS).toFixed(3));
  const step = (time: number) =>
    Math.min(STEPS, Math.max(0, Math.round(((time - extent[0]) / length) * STEPS)));
  const zoomed = (steps: [number, number], ended: boolean) =>
    onZoom(
      steps[0] === 0 && steps[1] === STEPS ? null : [second(steps[0]), second(steps[1])],
      ended,
    );
  // The slider follows the hand at once, the drawing as soon as it can.
  const range = useDeferredValue(props.zoom ?? extent);
  const charts = useMemo(() => byUnit(series.map((one, place) => ({ ...one, place }))), [series]);
  const legend = useMemo<LegendEntry[]>(
    () => series.map(({ label }, index) => ({ kind: "curve", label, ...lineLook(index) })),
    [series],
  );
  return (
    <ChartFrame
      title={title}
      name={name}
      description={description}
      table={() => seriesTable(series, t("seconds"))}
      fileName={fileName ?? fileNameOf(title)}
      link={link}
      legend={legend}
    >
      <Stack gap="xs" ref={ref}>
        {width > 0 &&
          charts.map(([unit, some]) => (
            <SeriesPlot
              key={unit}
              title={title}
              unit={unit}
              series={some}
              range={range}
              width={width}
            />
          ))}
        <Group gap="md" data-passing="">
          <Text size="sm">{t("zoom")}</Text>
          <RangeSlider
            flex={1}
            miw={160}
            min={0}
            max={STEPS}
            minRange={1}
            value={props.zoom === null ? [0, STEPS] : [step(props.zoom[0]), step(props.zoom[1])]}
            onChange={(steps) => zoomed(steps, false)}
            onChangeEnd={(steps) => zoomed(steps, true)}
            label={(at) => t("at_second", { second: formatNumber(second(at)) })}
            thumbFromLabel={t("zoom_from")}
            thumbToLabel={t("zoom_to")}
          />
          <Button
            size="xs"
            variant="default"
            disabled={props.zoom === null}
            onClick={() => onZoom(null, true)}
          >
            {t("zoom_reset")}
          </Button>
        </Group>
      </Stack>
    </ChartFrame>
  );
}
