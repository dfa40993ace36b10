import { DefaultZIndexes, usePlotArea, useXAxisScale, useYAxisScale, ZIndexLayer } from "recharts";
import { type CurveRows, pointsIn } from "./curve_rows";
import { CurveMarker, Dots, StateMarker } from "./markers";
import { lookOf, type SeriesStyle, TEXT } from "./palette";
import { seriesClass } from "./step_back";
import type { Curve } from "./types";

interface PointsProps extends Pick<CurveRows, "stretches" | "rows"> {
  looks: readonly SeriesStyle[];
}

/** A sign at each point. Recharts replaces those of its lines whenever a point moves. */
export function CurveMarkers({ looks, stretches, rows }: PointsProps) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  if (toX === undefined || toY === undefined) return null;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.scatter}>
      {stretches.map(({ curve, value }) => {
        const { color, marker } = looks[curve] as SeriesStyle;
        return (
          <g key={value} className={seriesClass(curve)}>
            {rows.map((row) => {
              const [x, y] = [toX(row.x), toY(row[value])];
              return x === undefined || y === undefined ? null : (
                <CurveMarker key={row.x} shape={marker} x={x} y={y} color={color} />
              );
            })}
          </g>
        );
      })}
    </ZIndexLayer>
  );
}

const WHISKER_END = 4;

/** The intervals of points that stand alone: a band needs two. */
export function LoneWhiskers({ looks, stretches, rows }: PointsProps) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  if (toX === undefined || toY === undefined) return null;
  return stretches.map((stretch) => {
    const { curve, band } = stretch;
    const alone = pointsIn(stretch, rows) === 1;
    const row = alone ? rows.find((one) => one[band] !== undefined) : undefined;
    const ends = row?.[band];
    if (row === undefined || !Array.isArray(ends)) return null;
    const x = toX(row.x) ?? 0;
    const [low, high] = ends.map((end) => toY(end) ?? 0);
    const end = (y = 0) => `M${x - WHISKER_END} ${y}h${2 * WHISKER_END}`;
    return (
      <path
        key={band}
        data-lone=""
        d={`M${x} ${low}V${high}${end(low)}${end(high)}`}
        stroke={looks[curve]?.color}
        strokeWidth={1.5}
      />
    );
  });
}

/** Pixels between the trials of two curves at one x. */
const APART = 4;

/** Every trial, a node for each curve. */
export function TrialDots({ curves, factor }: { curves: readonly Curve[]; factor: number }) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  const reach = (APART * (curves.length - 1)) / 2;
  /** Where the trials of all curves have room on both sides; at the edges, further inside. */
  const middle = (x: number) =>
    Math.max(area.x + reach, Math.min(toX(x) ?? 0, area.x + area.width - reach));
  return curves.map((curve, index) => (
    <g key={curve.key} className={seriesClass(index)}>
      <Dots
        color={lookOf(curve).color}
        at={curve.points.flatMap(({ x, trials = [] }) =>
          trials.map((trial) => [middle(x) - reach + APART * index, toY(trial / factor) ?? 0]),
        )}
      />
    </g>
  ));
}

/** What has no value, along the lower edge. */
export function EdgeMarks({
  looks,
  marks,
}: Pick<CurveRows, "marks"> & { looks: readonly SeriesStyle[] }) {
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
