import { memo, type ReactNode, useCallback, useId, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Bar, Cell, BarChart as RechartsBarChart, Tooltip, XAxis, YAxis } from "recharts";
import { formatNumber, scaleOf } from "~/quantities/format";
import { axisScale, endsAroundZero } from "./axis_scale";
import {
  BAR_GAP,
  BAR_SIZE,
  BarValues,
  bandHeight,
  GroupLabels,
  TrialDots,
  Whiskers,
  ZeroLabel,
  ZeroLine,
} from "./bar_marks";
import { barRows, seriesOf, wholeOf } from "./bar_rows";
import { barTable } from "./bar_table";
import { ChartFrame } from "./chart_frame";
import type { ChartOverlay } from "./chart_overlay";
import { fileNameOf } from "./exports/download";
import { figureReading } from "./figure_reading";
import { drawnOf, useFocus } from "./focus";
import { GridLines } from "./grid_lines";
import type { LegendEntry } from "./legend";
import { AXIS, lookOf, TEXT } from "./palette";
import { BarPatterns, fillOf } from "./patterns";
import { PassPointed, usePointed } from "./pointed";
import { countsOf } from "./provenance";
import { Readout } from "./readout";
import { stateEntries } from "./states";
import { StepBack, seriesClass } from "./step_back";
import { axisLabel, type BarGroup, type Quantity } from "./types";
import { WholeValues } from "./whole_values";

export interface BarChartProps {
  title: string;
  /** Names the chart in the page's address, whatever the language. */
  name?: string;
  description?: ReactNode;
  y: Quantity;
  groups: BarGroup[];
  /** Whether the bars of a group are parts of one whole: they lie end to end then. */
  stacked?: boolean;
  /** What the dots are, "single rounds"; single trials if not given. */
  dots?: string;
  /** What the line at zero means, "as node to node"; bars diverge from it. */
  zeroLabel?: string;
  /** Drawn into it, apart from its own. */
  beside?: ChartOverlay;
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

const FONT = { fontSize: 12, fill: TEXT } as const;
// Recharts replaces an axis and all that stands on it for another function.
const tickText = (value: number) => formatNumber(value);
const noTooltip = () => null;
/** At the right stand the values, in so many pixels however narrow the chart is. */
const ROOM = { right: 84 } as const;
/** A share of the bars' reach beyond their ends. */
const AIR = 0.04;

/** Horizontal bars with whiskers around zero; framed, with its table twin and exports. */
export const BarChart = memo(function BarChart(props: BarChartProps) {
  const { title, y, zeroLabel, dots, stacked = false } = props;
  const { t } = useTranslation("charts");
  const focus = useFocus(props.name);
  const { only, near } = focus;
  const pointed = usePointed();
  const series = useMemo(() => seriesOf(props.groups), [props.groups]);
  const groups = useMemo(
    () => (only.length === 0 ? props.groups : withOnly(props.groups, drawnOf(series, only))),
    [props.groups, series, only],
  );
  const fills = useId().replaceAll(/\W/g, "");
  const drawn = useMemo(() => {
    const values = stacked
      ? groups.map((group) => wholeOf(group) ?? 0)
      : groups.flatMap(({ bars }) => bars.map(({ figure }) => figure?.value ?? 0));
    const scale = scaleOf(Math.max(0, ...[...values, ...(y.reach ?? [])].map(Math.abs)), y.unit);
    const made = barRows(groups, scale.factor, stacked);
    made.bounds.push(...(y.reach ?? []).map((one) => one / scale.factor));
    if (zeroLabel !== undefined) made.bounds.push(...endsAroundZero(made.bounds));
    const { ticks } = axisScale(made.bounds, "linear");
    const low = Math.min(0, ...made.bounds);
    const high = Math.max(0, ...made.bounds) || (low < 0 ? 0 : 1);
    const length = high - low;
    const domain: [number, number] = [low - (low < 0 ? length * AIR : 0), high + length * AIR];
    return {
      ...made,
      scale,
      domain,
      ticks: ticks.filter((tick) => tick >= domain[0] && tick <= domain[1]),
    };
  }, [groups, y.unit, y.reach, stacked, zeroLabel]);
  // Recharts replaces bars for other cells.
  const cells = useMemo(
    () =>
      drawn.series.map((_, index) =>
        drawn.rows.map(({ key }) => {
          const look = drawn.at.get(key)?.bars[index];
          return look && <Cell key={key} fill={fillOf(fills, look)} stroke={lookOf(look).color} />;
        }),
      ),
    [drawn, fills],
  );
  const bars = stacked ? 1 : drawn.series.length;
  const keys = useMemo(() => drawn.series.map(({ key }) => key), [drawn]);
  const legend = useMemo<LegendEntry[]>(() => {
    const allBars = groups.flatMap((group) => group.bars);
    return [
      ...series.map(
        (one) => ({ kind: "bar", ...one, label: one.label || y.label, fills }) as const,
      ),
      ...(!stacked && allBars.some(({ trials }) => trials)
        ? [{ kind: "trials", label: dots ?? t("single_trials") } as const]
        : []),
      ...stateEntries(allBars, t),
    ];
  }, [groups, series, fills, dots, stacked, y.label, t]);
  const height = bandHeight(bars) * groups.length + 70;
  const label = axisLabel(y, drawn.scale.symbol);
  const readAt = useCallback(
    (place: string | null) => {
      const found = place === null ? undefined : drawn.at.get(place);
      if (found === undefined) return null;
      const readings = found.bars.flatMap((bar) =>
        bar === undefined ? [] : [[bar.key, figureReading(bar, y.unit, drawn.scale, t)] as const],
      );
      return { heading: found.group.label, readings: new Map(readings) };
    },
    [drawn, y.unit, t],
  );
  return (
    <ChartFrame
      title={title}
      name={props.name}
      description={props.description}
      table={() => barTable(props.groups, y, t)}
      fileName={props.fileName ?? fileNameOf(title)}
      link={props.link}
      readout={
        <Readout
          entries={legend}
          focus={series.length > 1 ? focus : undefined}
          pointed={pointed}
          readAt={readAt}
        />
      }
      counts={countsOf(groups.flatMap(({ bars }) => bars))}
    >
      <RechartsBarChart
        responsive
        layout="vertical"
        style={{ width: "100%", height }}
        data={drawn.rows}
        margin={{ top: 20, right: 8, bottom: 4, left: 8 }}
        barSize={BAR_SIZE}
        barGap={BAR_GAP}
        aria-label={t("keys", { title })}
      >
        <BarPatterns prefix={fills} looks={groups.flatMap(({ bars }) => bars)} />
        <GridLines x={drawn.ticks} />
        <XAxis
          type="number"
          niceTicks="none"
          padding={ROOM}
          domain={drawn.domain}
          ticks={drawn.ticks}
          tickFormatter={tickText}
          tick={FONT}
          stroke={AXIS}
          height={46}
          label={{ value: label, position: "insideBottom", offset: 4, ...FONT }}
        />
        <YAxis type="category" dataKey="key" hide />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: AXIS, fillOpacity: 0.12 }}
          content={noTooltip}
        />
        <PassPointed to={pointed} />
        {drawn.series.map(({ key }, index) => (
          <Bar
            key={key}
            dataKey={`value-${index}`}
            stackId={stacked ? "whole" : undefined}
            className={seriesClass(index)}
            isAnimationActive={false}
          >
            {cells[index]}
          </Bar>
        ))}
        <ZeroLine groups={groups} bars={bars} />
        {zeroLabel && <ZeroLabel label={zeroLabel} />}
        {!stacked && <Whiskers at={drawn.at} series={bars} factor={drawn.scale.factor} />}
        {!stacked && <TrialDots at={drawn.at} series={bars} factor={drawn.scale.factor} />}
        <StepBack near={near} series={keys} />
        <GroupLabels groups={groups} bars={bars} />
        {stacked ? (
          <WholeValues groups={groups} unit={y.unit} scale={drawn.scale} />
        ) : (
          <BarValues at={drawn.at} series={bars} unit={y.unit} scale={drawn.scale} />
        )}
        {!stacked &&
          props.beside?.bars({ at: drawn.at, series: drawn.series, factor: drawn.scale.factor })}
      </RechartsBarChart>
    </ChartFrame>
  );
});

/** The groups with the bars of some series alone. */
function withOnly(groups: BarGroup[], series: readonly { key: string }[]): BarGroup[] {
  const keys = new Set(series.map(({ key }) => key));
  return groups.map((group) => ({
    ...group,
    bars: group.bars.filter(({ key }) => keys.has(key)),
  }));
}
