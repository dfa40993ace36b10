import { Button, Group, RangeSlider, Stack, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "~/quantities/format";
import { ChartFrame } from "./chart_frame";
import { fileNameOf } from "./exports/download";
import type { LegendEntry } from "./legend";
import { SeriesPlot } from "./series_plot";
import { byUnit, extentOf, seriesTable } from "./series_table";
import type { TimeSeries } from "./types";

export interface SeriesChartProps {
  title: string;
  description?: ReactNode;
  series: TimeSeries[];
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

/** Steps of the slider that zooms. */
const STEPS = 200;

/** Values over a trial's seconds, a chart for each unit; framed, with table twin and exports. */
export function SeriesChart({ title, description, series, fileName, link }: SeriesChartProps) {
  const { t } = useTranslation("charts");
  const { ref, width } = useElementSize();
  const [chosen, setChosen] = useState<[number, number]>([0, STEPS]);
  // The slider follows the hand at once, the drawing as soon as it can.
  const zoom = useDeferredValue(chosen);
  const extent = useMemo(() => extentOf(series), [series]);
  const second = (step: number) => extent[0] + ((extent[1] - extent[0]) * step) / STEPS;
  const range = useMemo<[number, number]>(
    () => [
      extent[0] + ((extent[1] - extent[0]) * zoom[0]) / STEPS,
      extent[0] + ((extent[1] - extent[0]) * zoom[1]) / STEPS,
    ],
    [extent, zoom],
  );
  const charts = useMemo(() => byUnit(series.map((one, place) => ({ ...one, place }))), [series]);
  const legend = useMemo<LegendEntry[]>(
    () => series.map(({ label }, index) => ({ kind: "curve", label, index })),
    [series],
  );
  return (
    <ChartFrame
      title={title}
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
            value={chosen}
            onChange={setChosen}
            label={(step) => t("at_second", { second: formatNumber(second(step)) })}
            thumbFromLabel={t("zoom_from")}
            thumbToLabel={t("zoom_to")}
          />
          <Button
            size="xs"
            variant="default"
            disabled={chosen[0] === 0 && chosen[1] === STEPS}
            onClick={() => setChosen([0, STEPS])}
          >
            {t("zoom_reset")}
          </Button>
        </Group>
      </Stack>
    </ChartFrame>
  );
}
