import { memo, type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  Area,
  ComposedChart,
  Line,
  Tooltip,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
} from "recharts";
import { formatNumber, scaleOf } from "~/quantities/format";
import { allowsLog, axisScale } from "./axis_scale";
import type { Beside } from "./beside";
import { ChartFrame } from "./chart_frame";
import { boundsOf, type CurveRows, curveRows } from "./curve_rows";
import { curveTable } from "./curve_table";
import { CurveTooltip } from "./curve_tooltip";
import { fileNameOf } from "./exports/download";
import { GridLines } from "./grid_lines";
import type { LegendEntry } from "./legend";
import { CurveMarker, Dots, StateMarker } from "./markers";
import { AXIS, type Look, lookOf, TEXT } from "./palette";
import { countsOf } from "./provenance";
import { ScaleSwitch } from "./scale_switch";
import { STATES } from "./states";
import { axisLabel, type Curve, type Quantity, type ScaleName } from "./types";

export interface CurveChartProps {
  title: string;
  /** Names the chart in the page's address, whatever the language. */
  name?: string;
  description?: ReactNode;
  x: { label: string; scale: ScaleName };
  y: Quantity & { scale: ScaleName };
  curves: Curve[];
  /** Shows the switches between linear and log where given; the caller keeps the scales. */
  onScaleChange?: (axis: "x" | "y", scale: ScaleName) => void;
  /** Drawn into it, apart from its own. */
  beside?: Beside;
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

const HEIGHT = 340;
/** Pixels between the trials of two curves at one x. */
const APART = 4;
const FONT = { fontSize: 12, fill: TEXT } as const;

/** Lines over numbers, with interval bands; framed, with its table twin and exports. */
export const CurveChart = memo(function CurveChart(props: CurveChartProps) {
  const { title, x, y, curves, onScaleChange } = props;
  const { t } = useTranslation("charts");
  const drawn = useMemo(() => {
    const bounds = [...boundsOf(curves), ...(y.reach ?? [])];
    const xs = curves.flatMap(({ points }) => points.map((point) => point.x));
    const scale = scaleOf(Math.max(0, ...bounds.map(Math.abs)), y.unit);
    return {
      ...curveRows(curves, scale.factor),
      scale,
      xScale: axisScale(xs, x.scale, { fromZero: false, count: 6 }),
      yScale: axisScale(
        bounds.map((value) => value / scale.factor),
        y.scale,
      ),
      xLog: allowsLog(xs),
      yLog: allowsLog(bounds),
    };
  }, [curves, x.scale, y.scale, y.unit, y.reach]);
  const legend = useMemo<LegendEntry[]>(
    () => [
      ...curves.map(({ label, hue, shade }) => ({ kind: "curve", label, hue, shade }) as const),
      ...(curves.some(({ points }) => points.some(({ trials }) => trials))
        ? [{ kind: "trials", label: t("single_trials") } as const]
        : []),
      ...STATES.filter((state) => drawn.marks.some((mark) => mark.state === state)).map(
        (state) => ({ kind: "state", label: t(`state.${state}`), state }) as const,
      ),
    ],
    [curves, drawn.marks, t],
  );
  const looks = useMemo(() => curves.map(lookOf), [curves]);
  const yLabel = axisLabel(y, drawn.scale.symbol);
  return (
    <ChartFrame
      title={title}
      name={props.name}
      description={props.description}
      table={() => curveTable(curves, x.label, y, t)}
      fileName={props.fileName ?? fileNameOf(title)}
      link={props.link}
      legend={legend}
      counts={countsOf(curves.flatMap(({ points }) => points))}
      controls={
        onScaleChange && (
          <>
            {drawn.xLog && (
              <ScaleSwitch
                axis="x"
                scale={drawn.xScale.name}
                onScale={(s) => onScaleChange("x", s)}
              />
            )}
            {drawn.yLog && (
              <ScaleSwitch
                axis="y"
                scale={drawn.yScale.name}
                onScale={(s) => onScaleChange("y", s)}
              />
            )}
          </>
        )
      }
    >
      <ComposedChart
        responsive
        style={{ width: "100%", height: HEIGHT }}
        data={drawn.rows}
        margin={{ top: 26, right: 16, bottom: 4, left: 0 }}
        aria-label={t("keys", { title })}
      >
        <GridLines x={drawn.xScale.ticks} y={drawn.yScale.ticks} />
        <text x={6} y={14} {...FONT}>
          {yLabel}
        </text>
        <XAxis
          dataKey="x"
          type="number"
          niceTicks="none"
          scale={drawn.xScale.name}
          domain={drawn.xScale.domain}
          ticks={drawn.xScale.ticks}
          tickFormatter={(value: number) => formatNumber(value, true)}
          tick={FONT}
          stroke={AXIS}
          height={46}
          label={{ value: x.label, position: "insideBottom", offset: 4, ...FONT }}
        />
        <YAxis
          type="number"
          niceTicks="none"
          scale={drawn.yScale.name}
          domain={drawn.yScale.domain}
          ticks={drawn.yScale.ticks}
          tickFormatter={(value: number) => formatNumber(value)}
          tick={FONT}
          stroke={AXIS}
          width="auto"
          allowDataOverflow
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: AXIS }}
          content={({ active, label }) =>
            active ? (
              <CurveTooltip
                heading={`${x.label}: ${formatNumber(Number(label), true)}`}
                points={drawn.at.get(Number(label)) ?? []}
                unit={y.unit}
                scale={drawn.scale}
              />
            ) : null
          }
        />
        {drawn.stretches.map(({ curve, band }) => (
          <Area
            key={band}
            dataKey={band}
            type="linear"
            connectNulls
            stroke="none"
            fill={looks[curve]?.color}
            fillOpacity={0.16}
            activeDot={false}
            isAnimationActive={false}
          />
        ))}
        {drawn.stretches.map(({ curve, value }) => {
          const { color, dash, marker } = looks[curve] as Look;
          return (
            <Line
              key={value}
              dataKey={value}
              type="linear"
              connectNulls
              stroke={color}
              strokeWidth={2}
              strokeDasharray={dash}
              dot={({ cx, cy, index }) =>
                cx == null || cy == null ? null : (
                  <CurveMarker
                    key={index}
                    shape={marker}
                    x={Number(cx)}
                    y={Number(cy)}
                    color={color}
                  />
                )
              }
              activeDot={false}
              isAnimationActive={false}
            />
          );
        })}
        <LoneWhiskers looks={looks} stretches={drawn.stretches} rows={drawn.rows} />
        <TrialDots curves={curves} factor={drawn.scale.factor} />
        <EdgeMarks looks={looks} marks={drawn.marks} />
        {props.beside?.curves(drawn.scale.factor)}
      </ComposedChart>
    </ChartFrame>
  );
});

const WHISKER_END = 4;

/** The intervals of points that stand alone: a band needs two. */
function LoneWhiskers({
  looks,
  stretches,
  rows,
}: Pick<CurveRows, "stretches" | "rows"> & { looks: readonly Look[] }) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  if (toX === undefined || toY === undefined) return null;
  return stretches.map(({ curve, band, points }) => {
    const row = points === 1 ? rows.find((one) => one[band] !== undefined) : undefined;
    const ends = row?.[band];
    if (row === undefined || !Array.isArray(ends)) return null;
    const x = toX(row.x) ?? 0;
    const [low, high] = ends.map((end) => toY(end) ?? 0);
    const end = (y = 0) => `M${x - WHISKER_END} ${y}h${2 * WHISKER_END}`;
    return (
      <path
        key={band}
        d={`M${x} ${low}V${high}${end(low)}${end(high)}`}
        stroke={looks[curve]?.color}
        strokeWidth={1.5}
      />
    );
  });
}

/** Every trial, a node for each curve. */
function TrialDots({ curves, factor }: { curves: readonly Curve[]; factor: number }) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  const reach = (APART * (curves.length - 1)) / 2;
  /** Where the trials of all curves have room on both sides; at the edges, further inside. */
  const middle = (x: number) =>
    Math.max(area.x + reach, Math.min(toX(x) ?? 0, area.x + area.width - reach));
  return curves.map((curve, index) => (
    <Dots
      key={curve.key}
      color={lookOf(curve).color}
      at={curve.points.flatMap(({ x, trials = [] }) =>
        trials.map((trial) => [middle(x) - reach + APART * index, toY(trial / factor) ?? 0]),
      )}
    />
  ));
}

/** What has no value, along the lower edge. */
function EdgeMarks({ looks, marks }: Pick<CurveRows, "marks"> & { looks: readonly Look[] }) {
  const toPixel = useXAxisScale();
  const area = usePlotArea();
  if (toPixel === undefined || area === undefined) return null;
  return marks.map(({ curve, x, state, level }) => (
    <StateMarker
      key={`${curve}-${x}`}
      state={state}
      x={toPixel(x) ?? 0}
      y={area.y + area.height - 8 - 13 * level}
      color={looks[curve]?.color ?? TEXT}
    />
  ));
}
