import type { Curve, CurvePoint, PointState } from "./types";

/** Measured points of a curve that nothing interrupts; drawn as one line with one band. */
export interface Stretch {
  /** The curve's place. */
  curve: number;
  /** Keys into the rows: values and intervals. */
  value: string;
  band: string;
}

export type Row = { x: number } & Record<string, number | [number, number]>;

export interface CurveRows {
  rows: Row[];
  stretches: Stretch[];
  /** Points without a value, each with how many of its x stand below it at the edge. */
  marks: { curve: number; x: number; state: PointState; level: number }[];
  /** The values at an x, in the curves' order. */
  at: ReadonlyMap<number, { curve: Curve; point: CurvePoint }[]>;
}

/** Curves as rows over a common x. A point without a value ends a stretch and is never zero. */
export function curveRows(curves: readonly Curve[], factor: number): CurveRows {
  const rows = new Map<number, Row>();
  const at = new Map<number, { curve: Curve; point: CurvePoint }[]>();
  const stretches: Stretch[] = [];
  const marks: CurveRows["marks"] = [];
  const levels = new Map<number, number>();
  const rowAt = (x: number) => {
    const row = rows.get(x) ?? ({ x } as Row);
    rows.set(x, row);
    return row;
  };
  curves.forEach((curve, index) => {
    let stretch: Stretch | null = null;
    for (const point of curve.points.toSorted((one, other) => one.x - other.x)) {
      const row = rowAt(point.x);
      at.set(point.x, [...(at.get(point.x) ?? []), { curve, point }]);
      if (point.state !== "measured" || point.figure === null) {
        stretch = null;
        const level = levels.get(point.x) ?? 0;
        levels.set(point.x, level + 1);
        const state = point.state === "measured" ? "missing" : point.state;
        marks.push({ curve: index, x: point.x, state, level });
        continue;
      }
      if (stretch === null) {
        const name = `${index}-${stretches.length}`;
        stretch = {
          curve: index,
          value: `value-${name}`,
          band: `band-${name}`,
        };
        stretches.push(stretch);
      }
      const { value, low, high } = point.figure;
      row[stretch.value] = value / factor;
      if (low != null && high != null) {
        row[stretch.band] = [low / factor, high / factor];
      }
    }
  });
  return {
    rows: [...rows.values()].toSorted((one, other) => one.x - other.x),
    stretches,
    marks,
    at,
  };
}

/** How many points of a stretch are in some rows. */
export function pointsIn({ value }: Stretch, rows: readonly Row[]): number {
  return rows.filter((row) => row[value] !== undefined).length;
}

/** Every value, bound and trial that a vertical axis has to hold. */
export function boundsOf(curves: readonly Curve[]): number[] {
  return curves.flatMap(({ points }) =>
    points.flatMap(({ figure, state, trials = [] }) =>
      figure === null || state !== "measured"
        ? []
        : [figure.value, figure.low, figure.high, ...trials].filter((one) => one != null),
    ),
  );
}
