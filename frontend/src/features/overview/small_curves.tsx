import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Point, Schemas, Unit } from "~/api/types";
import { axisScale } from "~/charts/axis_scale";
import { hueOf } from "~/charts/hues";
import { Legend } from "~/charts/legend";
import { CurveMarker } from "~/charts/markers";
import { AXIS, GRID, type Hued, lookOf, TEXT } from "~/charts/palette";
import { textWidth } from "~/charts/text_width";
import { bracketed, clauses, parted } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatNumber, scaleOf, writeFigure, writeInterval } from "~/quantities/format";

type Chart = Schemas["ClearCurves"];
type CurvePoint = Schemas["Projected"];

const WIDTH = 300;
const HEIGHT = 130;
const LEFT = 36;
const BOTTOM = 18;
const EDGE = 8;
const FONT = { fontSize: 11, fill: TEXT } as const;

/** A run's clearest curves: each mode's centres with their intervals, and where they cross. */
export function SmallCurves({ chart }: { chart: Chart }) {
  const { t } = useTranslation("overview");
  const word = useWords();
  const { rows, crossing, axis } = chart;
  const key = rows[0]?.key;
  const unit = key?.unit as Unit;
  const curves = curvesOf(chart);
  const ends = rows.flatMap(endsOf);
  const scale = scaleOf(Math.max(0, ...ends.map(Math.abs)), unit);
  const y = axisScale(
    ends.map((end) => end / scale.factor),
    "linear",
    { count: 3 },
  );
  const x = axisScale(
    rows.map((row) => xOf(row, axis)),
    "linear",
    { fromZero: false, count: 3 },
  );
  const toX = along(x.domain, LEFT, WIDTH - EDGE);
  const toY = along(y.domain, HEIGHT - BOTTOM, EDGE);
  const place = (value: number) => toY(value / scale.factor);
  const metric = word("metric", key?.metric ?? "");
  const labels = curves.map(({ modes }) => modeText(modes, word) || metric);
  const looks = looksOf(curves.map(({ modes }) => modes));
  const told = curves.map(({ spots }, index) => {
    const figures = [spots[0], spots.at(-1)].map((spot) => figureText(spot, unit));
    return `${labels[index]} ${figures.join(" → ")}`;
  });
  const crosses = crossing && {
    from: formatNumber(crossing.low ?? 0, true),
    to: formatNumber(crossing.high ?? 0, true),
  };
  const crossed = crosses && t("crossing", { ...crosses, axis: word("axis", axis) });
  const direction = word("direction", key?.direction ?? "none");
  return (
    <figure style={{ margin: 0, maxWidth: WIDTH }} data-curves={key?.metric}>
      <Text component="figcaption" size="xs" c="dimmed">
        {clauses(scale.symbol === "" ? metric : bracketed(metric, scale.symbol), direction)}
      </Text>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width="100%"
        role="img"
        aria-label={parted([metric, ...told, ...(crossed ? [crossed] : [])])}
        style={{ display: "block", aspectRatio: `${WIDTH} / ${HEIGHT}` }}
      >
        {y.ticks.map((tick) => (
          <g key={tick}>
            <path d={`M${LEFT} ${toY(tick)}H${WIDTH - EDGE}`} stroke={GRID} />
            <text x={LEFT - 4} y={toY(tick) + 4} textAnchor="end" {...FONT}>
              {formatNumber(tick)}
            </text>
          </g>
        ))}
        {x.ticks.map((tick, index) => (
          <text
            key={tick}
            x={toX(tick)}
            y={HEIGHT - 4}
            textAnchor={index === x.ticks.length - 1 ? "end" : "middle"}
            {...FONT}
          >
            {formatNumber(tick, true)}
          </text>
        ))}
        {crossing && (
          <rect
            data-crossing=""
            x={toX(crossing.low ?? 0)}
            y={EDGE}
            width={toX(crossing.high ?? 0) - toX(crossing.low ?? 0)}
            height={HEIGHT - BOTTOM - EDGE}
            fill={AXIS}
            opacity={0.25}
          />
        )}
        {crossing && (
          <text
            x={within(
              (toX(crossing.low ?? 0) + toX(crossing.high ?? 0)) / 2,
              textWidth(t("crossing_here"), FONT.fontSize),
            )}
            y={EDGE + FONT.fontSize}
            textAnchor="middle"
            {...FONT}
          >
            {t("crossing_here")}
          </text>
        )}
        <path d={`M${LEFT} ${HEIGHT - BOTTOM}H${WIDTH - EDGE}`} stroke={AXIS} />
        {curves.map(({ modes, spots }, index) => (
          <OneCurve
            key={JSON.stringify(modes)}
            spots={spots}
            look={looks[index] as Hued}
            toX={(spot) => toX(xOf(spot, axis))}
            toY={place}
          />
        ))}
      </svg>
      <Text size="xs" c="dimmed" ta="center">
        {word("axis", axis)}
      </Text>
      {curves.length > 1 && (
        <Legend
          entries={labels.map(
            (label, index) => ({ kind: "curve", label, ...(looks[index] as Hued) }) as const,
          )}
        />
      )}
      {crossed && <Text size="xs">{crossed}</Text>}
    </figure>
  );
}

function OneCurve({
  spots,
  look,
  toX,
  toY,
}: {
  spots: CurvePoint[];
  look: Hued;
  toX: (spot: CurvePoint) => number;
  toY: (value: number) => number;
}) {
  const { color, dash, marker } = lookOf(look);
  const at = spots.flatMap(({ value, ...spot }) =>
    value === null ? [] : [{ ...spot, value, x: toX({ ...spot, value }) }],
  );
  return (
    <>
      <path
        d={at.map(({ x, value }, index) => `${index ? "L" : "M"}${x} ${toY(value)}`).join("")}
        stroke={color}
        strokeWidth={2}
        strokeDasharray={dash || undefined}
        fill="none"
      />
      {at.map(({ x, value, low, high }) => (
        <g key={x}>
          {low != null && high != null && (
            <path
              data-whisker=""
              d={`M${x} ${toY(low)}V${toY(high)}M${x - 3} ${toY(low)}h6M${x - 3} ${toY(high)}h6`}
              stroke={color}
              strokeWidth={1.5}
            />
          )}
          <CurveMarker shape={marker} x={x} y={toY(value)} color={color} size={3} />
        </g>
      ))}
    </>
  );
}

/** The middle of a text of some width, as near to `x` as the plot has room for it. */
function within(x: number, width: number): number {
  return Math.max(LEFT + width / 2, Math.min(WIDTH - EDGE - width / 2, x));
}

/** Where a number of the domain lies between two pixels. */
function along([low, high]: [number, number], start: number, end: number) {
  return (value: number) => start + ((value - low) / (high - low || 1)) * (end - start);
}

function endsOf({ value, low, high }: CurvePoint): number[] {
  return [value, low, high].filter((end) => end !== null);
}

function xOf({ key }: CurvePoint, axis: string): number {
  return Number(key.point[axis]);
}

/** Rows that agree on all axes but the charted one are a curve; its modes tell it from others. */
function curvesOf({ rows, axis }: Chart): { modes: Point; spots: CurvePoint[] }[] {
  const told = Object.keys(rows[0]?.key.point ?? {}).filter(
    (other) =>
      other !== axis && rows.some(({ key }) => key.point[other] !== rows[0]?.key.point[other]),
  );
  const found = new Map<string, { modes: Point; spots: CurvePoint[] }>();
  for (const row of rows) {
    const modes = Object.fromEntries(told.map((other) => [other, row.key.point[other] ?? ""]));
    const curve = found.get(JSON.stringify(modes)) ?? { modes, spots: [] };
    curve.spots.push(row);
    found.set(JSON.stringify(modes), curve);
  }
  return [...found.values()];
}

/** As on the run's own page: the hue by the first mode, the shade by the others. */
function looksOf(modes: readonly Point[]): Hued[] {
  const [first = "", ...others] = Object.keys(modes[0] ?? {});
  const rest = modes.map((one) => JSON.stringify(others.map((axis) => one[axis])));
  const different = [...new Set(rest)];
  const met = [...new Set(modes.map((one) => one[first]))];
  return modes.map((one, index) => ({
    hue: hueOf(first, one[first], met),
    shade: different.indexOf(rest[index] ?? ""),
  }));
}

function modeText(modes: Point, word: ReturnType<typeof useWords>): string {
  return Object.values(modes)
    .map((value) => word("axis_value", value))
    .join(" · ");
}

function figureText(spot: CurvePoint | undefined, unit: Unit): string {
  if (spot?.value == null) return "–";
  const written = writeFigure({ ...spot, value: spot.value }, unit);
  return [written.value, writeInterval(written)].filter(Boolean).join(" ");
}
