import { Button } from "@mantine/core";
import { memo, type ReactNode, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Area, Brush, ComposedChart, Line, Tooltip, XAxis, YAxis } from "recharts";
import { formatNumber, scaleOf } from "~/quantities/format";
import { allowsLog, axisScale } from "./axis_scale";
import { ChartFrame } from "./chart_frame";
import type { ChartOverlay } from "./chart_overlay";
import { CurveMarkers, EdgeMarks, LoneWhiskers, TrialDots } from "./curve_marks";
import { readCurves } from "./curve_readings";
import { boundsOf, curveRows, pointsIn } from "./curve_rows";
import { curveTable } from "./curve_table";
import { fileNameOf } from "./exports/download";
import { drawnOf, useFocus } from "./focus";
import { GridLines } from "./grid_lines";
import type { LegendEntry } from "./legend";
import { AXIS, GROUND, lookOf, type SeriesStyle, TEXT } from "./palette";
import { PassPointed, usePointed } from "./pointed";
import { countsOf } from "./provenance";
import { Readout } from "./readout";
import { ScaleSwitch } from "./scale_switch";
import { useRange } from "./shown_as";
import { stateEntries } from "./states";
import { StepBack, seriesClass } from "./step_back";
import { axisLabel, type Curve, type Quantity, type ScaleName } from "./types";
import type { Range } from "./view";

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
  /** What joins the points: lines by default, steps, or next to nothing where they are no course. */
  lines?: "steps" | "dotted";
  /** Drawn into it, apart from its own. */
  beside?: ChartOverlay;
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

/** Of the plot without its brush; in full screen it has the window's. */
const HEIGHT = "var(--plot-height, 340px)";
const FONT = { fontSize: 12, fill: TEXT } as const;
// Recharts replaces an axis and all that stands on it for another function.
const xText = (value: number) => formatNumber(value, true);
const yText = (value: number) => formatNumber(value);
const noTooltip = () => null;
/** A ladder of more rungs can be zoomed into. */
const ZOOMED_FROM = 5;
const BRUSH = 26;

/** Lines over numbers, with interval bands; framed, with its table twin and exports. */
export const CurveChart = memo(function CurveChart(props: CurveChartProps) {
  const { title, x, y, lines, onScaleChange } = props;
  const { t } = useTranslation("charts");
  const focus = useFocus(props.name);
  const { only, near } = focus;
  const pointed = usePointed();
  const [asked, setZoom] = useRange(props.name);
  // The brush keeps its own state: a new key resets it.
  const [resets, setResets] = useState(0);
  const curves = useMemo(() => drawnOf(props.curves, only), [props.curves, only]);
  // An address may ask for rungs that nobody measured.
  const zoom = within(curves, asked).some(({ points }) => points.length > 0) ? asked : null;
  const bounds = useMemo(() => [...boundsOf(curves), ...(y.reach ?? [])], [curves, y.reach]);
  const scale = useMemo(
    () => scaleOf(Math.max(0, ...bounds.map(Math.abs)), y.unit),
    [bounds, y.unit],
  );
  const rows = useMemo(() => curveRows(curves, scale.factor), [curves, scale.factor]);
  const shown = useMemo(() => within(curves, zoom), [curves, zoom]);
  const drawn = useMemo(() => {
    const values = zoom === null ? bounds : boundsOf(shown);
    const xs = shown.flatMap(({ points }) => points.map((point) => point.x));
    const xScale = axisScale(xs, x.scale, { fromZero: false, count: 6 });
    // There is no half of a round.
    if (lines === "dotted") xScale.ticks = xScale.ticks.filter(Number.isInteger);
    return {
      xScale,
      yScale: axisScale(
        values.map((value) => value / scale.factor),
        y.scale,
      ),
      xLog: allowsLog(xs),
      yLog: allowsLog(bounds),
    };
  }, [shown, zoom, bounds, scale, x.scale, y.scale, lines]);
  const legend = useMemo<LegendEntry[]>(
    () => [
      ...props.curves.map(
        ({ key, label, hue, shade }) =>
          ({ kind: "curve", key, label: label || y.label, hue, shade }) as const,
      ),
      ...(curves.some(({ points }) => points.some(({ trials }) => trials))
        ? [{ kind: "trials", label: t("single_trials") } as const]
        : []),
      ...stateEntries(rows.marks, t),
    ],
    [props.curves, curves, rows.marks, y.label, t],
  );
  const looks = useMemo(() => curves.map(lookOf), [curves]);
  const yLabel = axisLabel(y, scale.symbol);
  const [first, last] = zoom ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const xs = useMemo(() => rows.rows.map((row) => row.x), [rows]);
  const start = Math.max(
    0,
    xs.findIndex((one) => one >= first),
  );
  const end = Math.max(
    start,
    xs.findLastIndex((one) => one <= last),
  );
  const furthest = xs[end];
  const drawnRows = rows.rows.slice(start, end + 1);
  // Recharts puts signs of its own where a line or a band has a single point.
  const stretches = rows.stretches.filter((stretch) => pointsIn(stretch, drawnRows) > 1);
  const readAt = useCallback(
    (place: string | null) =>
      readCurves(rows.at, place === null ? furthest : Number(place), x.label, y.unit, scale, t),
    [rows.at, furthest, x.label, y.unit, scale, t],
  );
  const keys = useMemo(() => curves.map(({ key }) => key), [curves]);
  const zooms =
    lines === undefined && props.curves.some(({ points }) => points.length >= ZOOMED_FROM);
  // Recharts lays a chart out twice more whenever its brush is drawn.
  const brush = useMemo(
    () =>
      zooms && (
        <Brush
          key={resets}
          dataKey="x"
          height={BRUSH}
          travellerWidth={10}
          startIndex={start}
          endIndex={end}
          stroke={AXIS}
          fill={GROUND}
          // The axis above has the ends, and at the edge they would be cut off.
          tickFormatter={() => ""}
          ariaLabel={t("zoom_keys", { axis: x.label })}
          onChange={(next) => setZoom(rangeOf(xs, next))}
        />
      ),
    [zooms, resets, start, end, xs, x.label, setZoom, t],
  );
  return (
    <ChartFrame
      title={title}
      name={props.name}
      description={props.description}
      table={() => curveTable(props.curves, x.label, y, t)}
      fileName={props.fileName ?? fileNameOf(title)}
      link={props.link}
      readout={
        <Readout
          entries={legend}
          focus={props.curves.length > 1 ? focus : undefined}
          pointed={pointed}
          readAt={readAt}
        />
      }
      counts={countsOf(curves.flatMap(({ points }) => points))}
      controls={
        <>
          {onScaleChange && drawn.xLog && (
            <ScaleSwitch
              axis="x"
              scale={drawn.xScale.name}
              onScale={(s) => onScaleChange("x", s)}
            />
          )}
          {onScaleChange && drawn.yLog && (
            <ScaleSwitch
              axis="y"
              scale={drawn.yScale.name}
              onScale={(s) => onScaleChange("y", s)}
            />
          )}
          {zoom !== null && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setZoom(null);
                setResets((before) => before + 1);
              }}
            >
              {t("zoom_out")}
            </Button>
          )}
        </>
      }
    >
      <ComposedChart
        responsive
        style={{ width: "100%", height: zooms ? `calc(${HEIGHT} + ${BRUSH}px)` : HEIGHT }}
        data={rows.rows}
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
          tickFormatter={xText}
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
          tickFormatter={yText}
          tick={FONT}
          stroke={AXIS}
          width="auto"
          allowDataOverflow
        />
        <Tooltip isAnimationActive={false} cursor={{ stroke: AXIS }} content={noTooltip} />
        <PassPointed to={pointed} />
        {stretches.map(({ curve, band }) => (
          <Area
            key={band}
            className={seriesClass(curve)}
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
        {stretches.map(({ curve, value }) => {
          const { color, dash } = looks[curve] as SeriesStyle;
          return (
            <Line
              key={value}
              className={seriesClass(curve)}
              dataKey={value}
              type={lines === "steps" ? "stepAfter" : "linear"}
              connectNulls
              stroke={color}
              strokeWidth={lines === "dotted" ? 1 : 2}
              strokeDasharray={lines === "dotted" ? "1 4" : dash}
              dot={false}
              activeDot={false}
              isAnimationActive={false}
            />
          );
        })}
        <LoneWhiskers looks={looks} stretches={rows.stretches} rows={drawnRows} />
        <CurveMarkers looks={looks} stretches={rows.stretches} rows={drawnRows} />
        <TrialDots curves={shown} factor={scale.factor} />
        <EdgeMarks
          looks={looks}
          marks={rows.marks.filter((mark) => mark.x >= first && mark.x <= last)}
        />
        <StepBack near={near} series={keys} />
        {props.beside?.curves(scale.factor)}
        {brush}
      </ComposedChart>
    </ChartFrame>
  );
});

/** The curves' points in a range, its ends included. */
function within(curves: readonly Curve[], range: Range | null): readonly Curve[] {
  if (range === null) return curves;
  const [first, last] = range;
  return curves.map((curve) => ({
    ...curve,
    points: curve.points.filter(({ x }) => x >= first && x <= last),
  }));
}

/** What a brush over all of `xs` holds; null where that is all. */
function rangeOf(
  xs: readonly number[],
  { startIndex = 0, endIndex = xs.length - 1 }: { startIndex?: number; endIndex?: number },
): Range | null {
  const [from, to] = [xs[startIndex], xs[endIndex]];
  if (from === undefined || to === undefined) return null;
  return startIndex === 0 && endIndex === xs.length - 1 ? null : [from, to];
}
