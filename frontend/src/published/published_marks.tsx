import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { BAR_GAP, BAR_SIZE, middleOf } from "~/charts/bar_marks";
import type { BarRows } from "~/charts/bar_rows";
import { GROUND, TEXT } from "~/charts/palette";

/** A line of published figures with its name; dashed, hollow, and in no series' colour. */
export interface MarkedCurve {
  key: string;
  label: string;
  points: { x: number; value: number }[];
}

const SIZE = 5;

function Diamond({ x, y }: { x: number; y: number }) {
  return (
    <path
      d={`M${x} ${y - SIZE}L${x + SIZE} ${y}L${x} ${y + SIZE}L${x - SIZE} ${y}Z`}
      fill={GROUND}
      stroke={TEXT}
      strokeWidth={1.5}
    />
  );
}

/** Lines over numbers. What lies outside the scale is not drawn: the text above tells it. */
export function PublishedCurves({ curves, factor }: { curves: MarkedCurve[]; factor: number }) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  return curves.map(({ key, label, points }) => {
    const drawn = points.flatMap(({ x, value }) => {
      const at = { x: toX(x), y: toY(value / factor) };
      return at.x !== undefined &&
        at.y !== undefined &&
        within(at.x, area.x, area.width) &&
        within(at.y, area.y, area.height)
        ? [{ x: at.x, y: at.y }]
        : [];
    });
    const last = drawn.at(-1);
    if (last === undefined) return null;
    return (
      <g key={key} data-published={key}>
        <path
          d={`M${drawn.map(({ x, y }) => `${x} ${y}`).join("L")}`}
          fill="none"
          stroke={TEXT}
          strokeWidth={1.5}
          strokeDasharray="1 5"
          strokeLinecap="round"
        />
        {drawn.map(({ x, y }) => (
          <Diamond key={`${x} ${y}`} x={x} y={y} />
        ))}
        <text
          x={last.x - SIZE}
          y={last.y - 2 * SIZE}
          fontSize={11}
          fontStyle="italic"
          textAnchor="end"
          fill={TEXT}
          stroke={GROUND}
          strokeWidth={4}
          paintOrder="stroke"
        >
          {label}
        </text>
      </g>
    );
  });
}

const within = (at: number, from: number, length: number) => at >= from && at <= from + length;

/** One published figure beside a bar, or beside all bars of a group. */
export interface MarkedBar {
  key: string;
  group: string;
  /** The bar's series; a figure that has none is beside the whole group. */
  series: string | undefined;
  value: number;
}

/** A hollow diamond at the figure, on the bar that it is beside. */
export function PublishedBars({
  marks,
  at,
  series,
  factor,
}: {
  marks: MarkedBar[];
  at: BarRows["at"];
  series: readonly { key: string }[];
  factor: number;
}) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  return marks.map((mark) => {
    const x = toX(mark.value / factor);
    const middle = at.has(mark.group) ? toY(mark.group, { position: "middle" }) : undefined;
    if (x === undefined || middle === undefined || !within(x, area.x, area.width)) return null;
    const place = series.findIndex(({ key }) => key === mark.series);
    const reach = (series.length * (BAR_SIZE + BAR_GAP)) / 2;
    return (
      <g key={mark.key} data-published={mark.key}>
        {place < 0 && (
          <path
            d={`M${x} ${middle - reach}V${middle + reach}`}
            stroke={TEXT}
            strokeWidth={1.5}
            strokeDasharray="1 4"
          />
        )}
        <Diamond x={x} y={place < 0 ? middle : middleOf(middle, series.length, place)} />
      </g>
    );
  });
}
