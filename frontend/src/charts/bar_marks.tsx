import { useTranslation } from "react-i18next";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import type { Unit } from "~/api/types";
import type { Scale } from "~/quantities/format";
import type { BarRows } from "./bar_rows";
import { valueText } from "./figure_text";
import { Dots, StateMarker, Whisker } from "./markers";
import { GROUND, lookOf, TEXT } from "./palette";
import { seriesClass } from "./step_back";
import { textWidth } from "./text_width";
import type { BarGroup } from "./types";

export const BAR_SIZE = 15;
export const BAR_GAP = 3;
const LABEL = 24;

/** Bars of a group stand in the middle of its band, the label above them. */
export const bandHeight = (bars: number) => blockHeight(bars) + 2 * LABEL;
const blockHeight = (bars: number) => bars * BAR_SIZE + (bars - 1) * BAR_GAP;

/** The groups' names above their bars, where long ones have room on a narrow screen too. */
export function GroupLabels({ groups, bars }: { groups: readonly BarGroup[]; bars: number }) {
  const toPixel = useYAxisScale();
  const area = usePlotArea();
  if (toPixel === undefined || area === undefined) return null;
  return groups.map(({ key, label }) => {
    const middle = toPixel(key, { position: "middle" });
    return middle === undefined ? null : (
      <text
        key={key}
        x={area.x + 2}
        y={middle - blockHeight(bars) / 2 - 7}
        fontSize={12}
        fontWeight={600}
        fill={TEXT}
        stroke={GROUND}
        strokeWidth={4}
        paintOrder="stroke"
      >
        {label}
      </text>
    );
  });
}

/** The line at zero, beside the bars alone: the groups' names between them are not crossed. */
export function ZeroLine({ groups, bars }: { groups: readonly BarGroup[]; bars: number }) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const x = toX?.(0);
  if (x === undefined || toY === undefined) return null;
  const reach = blockHeight(bars) / 2 + BAR_GAP;
  const parts = groups.map(({ key }) => {
    const middle = toY(key, { position: "middle" }) ?? 0;
    return `M${x} ${middle - reach}V${middle + reach}`;
  });
  return <path data-zero="" d={parts.join("")} stroke={TEXT} />;
}

/** What zero means, above its line, as far to the side as the edge allows. */
export function ZeroLabel({ label }: { label: string }) {
  const toPixel = useXAxisScale();
  const area = usePlotArea();
  if (toPixel === undefined || area === undefined) return null;
  const width = textWidth(label, 12);
  const x = Math.max(area.x, Math.min((toPixel(0) ?? 0) - width / 2, area.x + area.width - width));
  return (
    <text x={x} y={area.y - 6} fontSize={12} fill={TEXT}>
      {label}
    </text>
  );
}

interface MarksProps {
  at: BarRows["at"];
  series: number;
  factor: number;
}

const WHISKER_END = 4;

/**
 * Every bar's interval; a bar at zero has no length, and its interval all the same. One that
 * leaves the picture has no end there.
 */
export function Whiskers({ at, series, factor }: MarksProps) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  const [left, right] = [area.x, area.x + area.width];
  return [...at.values()].flatMap(({ group, bars }) =>
    bars.map((bar, place) => {
      const { low, high } = bar?.figure ?? {};
      if (bar?.state !== "measured" || low == null || high == null) return null;
      const y = middleOf(toY(group.key, { position: "middle" }) ?? 0, series, place);
      const [from, to] = [toX(low / factor) ?? 0, toX(high / factor) ?? 0];
      const inside = (x: number) => Math.max(left, Math.min(right, x));
      const end = (x: number) =>
        inside(x) === x ? `M${x} ${y - WHISKER_END}V${y + WHISKER_END}` : "";
      return (
        <g key={`${group.key}-${bar.key}`} className={seriesClass(place)}>
          <Whisker d={`M${inside(from)} ${y}H${inside(to)}${end(from)}${end(to)}`} />
        </g>
      );
    }),
  );
}

/** Every trial along the middle of its bar. */
export function TrialDots({ at, series, factor }: MarksProps) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  if (toX === undefined || toY === undefined) return null;
  const dotsOf = (place: number) =>
    [...at.values()].flatMap(({ group, bars }) => {
      const y = middleOf(toY(group.key, { position: "middle" }) ?? 0, series, place);
      return (bars[place]?.trials ?? []).map((trial) => [toX(trial / factor) ?? 0, y]);
    });
  return Array.from({ length: series }, (_, place) => (
    <g key={place} className={seriesClass(place)}>
      <Dots ringed at={dotsOf(place)} color={TEXT} />
    </g>
  ));
}

/** The middle of the bar at `place` in a group whose middle is known. */
export const middleOf = (group: number, series: number, place: number) =>
  group - blockHeight(series) / 2 + place * (BAR_SIZE + BAR_GAP) + BAR_SIZE / 2;

/** Each bar's value in a column at the right, clear of whiskers and trials; where none is, why. */
export function BarValues({
  at,
  series,
  unit,
  scale,
}: {
  at: BarRows["at"];
  series: number;
  unit: Unit;
  scale: Scale;
}) {
  const { t } = useTranslation("charts");
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  const edge = area.x + area.width - 2;
  const zero = toX(0) ?? 0;
  return [...at.values()].flatMap(({ group, bars }) =>
    bars.map((bar, place) => {
      const middle = toY(group.key, { position: "middle" });
      if (bar === undefined || middle === undefined) return null;
      const y = middleOf(middle, series, place);
      const key = `${group.key}-${bar.key}`;
      if (bar.figure === null || bar.state !== "measured") {
        return (
          <g key={key}>
            <StateMarker state={bar.state} x={zero + 10} y={y} color={lookOf(bar).color} />
            <text x={zero + 20} y={y + 4} fontSize={11} fontStyle="italic" fill={TEXT}>
              {t(`state.${bar.state}`)}
            </text>
          </g>
        );
      }
      return (
        <text key={key} x={edge} y={y + 4} fontSize={11} fill={TEXT} textAnchor="end">
          {valueText(bar.figure, unit, scale)}
        </text>
      );
    }),
  );
}
