import { memo, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Area, CartesianGrid, ComposedChart, Tooltip, XAxis, YAxis } from "recharts";
import type { Unit } from "~/api/types";
import { formatNumber, formatQuantity, scaleOf } from "~/quantities/format";
import { axisScale } from "./axis_scale";
import { AXIS, GRID, lookOf, TEXT } from "./palette";
import { type SeriesRow, seriesRows } from "./series_rows";
import { TooltipBox, TooltipLine } from "./tooltip_box";
import type { TimeSeries } from "./types";

export interface PlacedSeries extends TimeSeries {
  /** Its place in the palette. */
  place: number;
}

interface SeriesPlotProps {
  title: string;
  unit: Unit;
  series: PlacedSeries[];
  range: readonly [number, number];
  /** Pixels there are for columns. */
  columns: number;
}

const FONT = { fontSize: 12, fill: TEXT } as const;

/** The series of one unit, each as the reach of its values in every column. */
export const SeriesPlot = memo(function SeriesPlot(props: SeriesPlotProps) {
  const { title, unit, series, range, columns } = props;
  const { t } = useTranslation("charts");
  const drawn = useMemo(() => {
    const raw = seriesRows(series, range, columns, 1);
    const bounds = raw.flatMap((row) => Object.values(row).filter(Array.isArray).flat());
    const largest = bounds.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = scaleOf(largest, unit);
    return {
      rows: seriesRows(series, range, columns, scale.factor),
      scale,
      axis: axisScale(
        bounds.map((value) => value / scale.factor),
        "linear",
        { count: 4 },
      ),
      time: axisScale(range, "linear", { fromZero: false, count: 6 }),
    };
  }, [series, range, columns, unit]);
  const rowAt = useMemo(() => new Map(drawn.rows.map((row) => [row.offset, row])), [drawn.rows]);
  const heading = [...new Set(series.map(({ label }) => label))].join(", ");
  const { symbol } = drawn.scale;
  return (
    <ComposedChart
      responsive
      style={{ width: "100%", height: 240 }}
      data={drawn.rows}
      margin={{ top: 26, right: 16, bottom: 4, left: 0 }}
      aria-label={t("keys", { title: `${title}, ${heading}` })}
    >
      <CartesianGrid stroke={GRID} />
      <text x={6} y={14} {...FONT}>
        {symbol}
      </text>
      <XAxis
        dataKey="offset"
        type="number"
        domain={[range[0], range[1]]}
        ticks={drawn.time.ticks.filter((tick) => tick >= range[0] && tick <= range[1])}
        tickFormatter={(value: number) => String(Number(value.toPrecision(9)))}
        tick={FONT}
        stroke={AXIS}
        height={46}
        label={{ value: t("seconds"), position: "insideBottom", offset: 4, ...FONT }}
      />
      <YAxis
        type="number"
        domain={drawn.axis.domain}
        ticks={drawn.axis.ticks}
        tickFormatter={(value: number) => formatNumber(value)}
        tick={FONT}
        stroke={AXIS}
        width="auto"
      />
      <Tooltip
        isAnimationActive={false}
        cursor={{ stroke: AXIS }}
        content={({ active, label }) => {
          const row = active ? rowAt.get(Number(label)) : undefined;
          return row === undefined ? null : (
            <TooltipBox heading={t("at_second", { second: formatNumber(row.offset) })}>
              {series.map(({ key, label: name, place }, index) => {
                const text = reachText(row, index, drawn.scale, unit);
                return text === null ? null : (
                  <TooltipLine
                    key={key}
                    mark={<rect x={1} y={3} width={12} height={5} fill={lookOf(place).color} />}
                    label={name}
                    value={text}
                    details={[]}
                  />
                );
              })}
            </TooltipBox>
          );
        }}
      />
      {series.map(({ key, place }, index) => (
        <Area
          key={key}
          dataKey={`reach-${index}`}
          type="linear"
          connectNulls
          stroke={lookOf(place).color}
          strokeWidth={1.2}
          strokeDasharray={columns < 2 ? undefined : lookOf(place).dash}
          fill={lookOf(place).color}
          fillOpacity={0.55}
          activeDot={false}
          isAnimationActive={false}
        />
      ))}
    </ComposedChart>
  );
});

function reachText(
  row: SeriesRow,
  index: number,
  scale: ReturnType<typeof scaleOf>,
  unit: Unit,
): string | null {
  const reach = row[`reach-${index}`];
  if (!Array.isArray(reach)) return null;
  const [low, high] = reach;
  const text = (value: number) => formatQuantity(value * scale.factor, unit, scale);
  return low === high ? text(low) : `${text(low)} – ${text(high)}`;
}
