import { memo, type PointerEvent, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { formatNumber, formatQuantity, scaleOf } from "~/quantities/format";
import { axisScale } from "./axis_scale";
import { AXIS, GRID, lineLook, lookOf, TEXT } from "./palette";
import { columnAt, reachPath, type SeriesColumns, seriesColumns } from "./series_columns";
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
  width: number;
}

const HEIGHT = 240;
const LEFT = 52;
const RIGHT = 16;
const TOP = 26;
const BOTTOM = 44;
const FONT = { fontSize: 12, fill: TEXT } as const;

/**
 * The series of one unit, each a single path that reaches from the least to the greatest value of
 * every column of pixels. Drawn without Recharts: a thousand columns take it longer than a hand
 * that zooms is ready to wait.
 */
export const SeriesPlot = memo(function SeriesPlot(props: SeriesPlotProps) {
  const { title, unit, series, range, width } = props;
  const { t } = useTranslation("charts");
  const [column, setColumn] = useState<number | null>(null);
  const columns = Math.max(2, Math.round(width) - LEFT - RIGHT);
  const drawn = useMemo(() => draw(series, unit, range, columns), [series, unit, range, columns]);
  const { data, scale } = drawn;
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    setColumn(columnAt(data, event.clientX - left - LEFT));
  };
  const bottom = HEIGHT - BOTTOM;
  return (
    <div style={{ position: "relative" }}>
      <svg
        width={width}
        height={HEIGHT}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go through the columns
        tabIndex={0}
        aria-label={t("keys", {
          title: `${title}, ${[...new Set(series.map(({ label }) => label))].join(", ")}`,
        })}
        style={{ display: "block", touchAction: "pan-y" }}
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={() => setColumn(null)}
        onFocus={() => setColumn((before) => before ?? columnAt(data, 0))}
        onBlur={() => setColumn(null)}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          setColumn((before) => data.next(before, by));
        }}
      >
        <Drawing series={series} drawn={drawn} width={width} />
        {column !== null && (
          <path data-passing="" d={`M${LEFT + column + 0.5} ${TOP}V${bottom}`} stroke={AXIS} />
        )}
      </svg>
      {column !== null && (
        <div
          style={{
            position: "absolute",
            top: 8,
            pointerEvents: "none",
            zIndex: 1,
            ...(column < columns / 2
              ? { left: LEFT + column + 12 }
              : { right: width - LEFT - column + 12 }),
          }}
        >
          <TooltipBox
            heading={t("at_second", {
              second: formatNumber(range[0] + (column + 0.5) * data.step),
            })}
          >
            {series.map(({ key, label, place }, index) => {
              const reach = data.reach[index]?.get(column);
              return reach === undefined ? null : (
                <TooltipLine
                  key={key}
                  mark={
                    <rect x={1} y={3} width={12} height={5} fill={lookOf(lineLook(place)).color} />
                  }
                  label={label}
                  value={[...new Set(reach)]
                    .map((value) => formatQuantity(value, unit, scale))
                    .join(" – ")}
                  details={[]}
                />
              );
            })}
          </TooltipBox>
        </div>
      )}
    </div>
  );
});

/** All but what follows the pointer, which so never draws it again. */
const Drawing = memo(function Drawing({
  series,
  drawn,
  width,
}: Pick<SeriesPlotProps, "series" | "width"> & { drawn: ReturnType<typeof draw> }) {
  const { t } = useTranslation("charts");
  const { data, scale, y, x, toX, toY, paths } = drawn;
  const bottom = HEIGHT - BOTTOM;
  return (
    <>
      <text x={6} y={14} {...FONT}>
        {scale.symbol}
      </text>
      {y.ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${LEFT} ${toY(tick)}H${width - RIGHT}`} stroke={GRID} />
          <text x={LEFT - 6} y={toY(tick) + 4} textAnchor="end" {...FONT}>
            {formatNumber(tick)}
          </text>
        </g>
      ))}
      {x.map((tick) => (
        <g key={tick}>
          <path d={`M${toX(tick)} ${TOP}V${bottom + 5}`} stroke={GRID} />
          <text x={toX(tick)} y={bottom + 18} textAnchor="middle" {...FONT}>
            {Number(tick.toPrecision(9))}
          </text>
        </g>
      ))}
      <path d={`M${LEFT} ${TOP}V${bottom}H${width - RIGHT}`} stroke={AXIS} fill="none" />
      <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 8} textAnchor="middle" {...FONT}>
        {t("seconds")}
      </text>
      {series.map(({ key, place }, index) => (
        <path
          key={key}
          d={paths[index]}
          fill="none"
          stroke={lookOf(lineLook(place)).color}
          strokeWidth={1.6}
          strokeLinejoin="round"
          // Where columns are full, a dash would hide spikes.
          strokeDasharray={
            data.dense[index] ? undefined : lookOf(lineLook(place)).dash || undefined
          }
        />
      ))}
    </>
  );
});

function draw(
  series: readonly PlacedSeries[],
  unit: Unit,
  range: readonly [number, number],
  columns: number,
) {
  const data: SeriesColumns = seriesColumns(series, range, columns);
  const scale = scaleOf(Math.max(Math.abs(data.low), Math.abs(data.high)), unit);
  const bounds = data.reach.some((one) => one.size > 0) ? [data.low, data.high] : [];
  const y = axisScale(
    bounds.map((value) => value / scale.factor),
    "linear",
    { count: 4 },
  );
  const time = axisScale(range, "linear", { fromZero: false, count: 6 }).ticks;
  const [low, high] = y.domain;
  const toY = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
  const length = range[1] - range[0] || 1;
  return {
    data,
    scale,
    y,
    x: time.filter((tick) => tick >= range[0] && tick <= range[1]),
    toX: (second: number) => LEFT + (columns * (second - range[0])) / length,
    toY,
    paths: data.reach.map((reach) =>
      reachPath(
        reach,
        (column) => LEFT + column + 0.5,
        (value) => toY(value / scale.factor),
      ),
    ),
  };
}
