import { memo } from "react";
import { GROUND, type Marker, TEXT } from "./palette";
import type { PointState } from "./types";

interface MarkProps {
  x: number;
  y: number;
  color: string;
  size?: number;
}

const around = (x: number, y: number, points: [number, number][]) =>
  points.map(([right, down]) => `${x + right},${y + down}`).join(" ");

/** A point of a curve, by a shape of its own. */
export function CurveMarker({ shape, x, y, color, size = 4.5 }: MarkProps & { shape: Marker }) {
  const s = size;
  switch (shape) {
    case "square":
      return <rect x={x - s * 0.9} y={y - s * 0.9} width={s * 1.8} height={s * 1.8} fill={color} />;
    case "triangle":
      return (
        <polygon
          points={around(x, y, [
            [0, -s * 1.2],
            [s * 1.1, s * 0.8],
            [-s * 1.1, s * 0.8],
          ])}
          fill={color}
        />
      );
    case "wedge":
      return (
        <polygon
          points={around(x, y, [
            [0, s * 1.2],
            [s * 1.1, -s * 0.8],
            [-s * 1.1, -s * 0.8],
          ])}
          fill={color}
        />
      );
    case "diamond":
      return (
        <polygon
          points={around(x, y, [
            [0, -s * 1.3],
            [s * 1.1, 0],
            [0, s * 1.3],
            [-s * 1.1, 0],
          ])}
          fill={color}
        />
      );
    case "cross":
      return (
        <path
          d={`M${x - s} ${y}H${x + s}M${x} ${y - s}V${y + s}`}
          stroke={color}
          strokeWidth={2.5}
        />
      );
    case "star":
      return (
        <path
          d={`M${x - s} ${y - s}L${x + s} ${y + s}M${x + s} ${y - s}L${x - s} ${y + s}M${x} ${y - s * 1.2}V${y + s * 1.2}`}
          stroke={color}
          strokeWidth={1.8}
        />
      );
    case "ring":
      return <circle cx={x} cy={y} r={s * 0.9} fill={GROUND} stroke={color} strokeWidth={2} />;
    default:
      return <circle cx={x} cy={y} r={s} fill={color} />;
  }
}

/** The marker at the edge if there is no value: failed, skipped, missing. */
export function StateMarker({ state, x, y, color, size = 5 }: MarkProps & { state: PointState }) {
  const s = size;
  switch (state) {
    case "failed":
      return (
        <path
          d={`M${x - s} ${y - s}L${x + s} ${y + s}M${x + s} ${y - s}L${x - s} ${y + s}`}
          stroke={color}
          strokeWidth={2.5}
          fill="none"
        />
      );
    case "skipped":
      return (
        <path
          d={`M${x - s} ${y - s}L${x} ${y}L${x - s} ${y + s}M${x} ${y - s}L${x + s} ${y}L${x} ${y + s}`}
          stroke={color}
          strokeWidth={1.8}
          fill="none"
        />
      );
    case "missing":
      return (
        <circle
          cx={x}
          cy={y}
          r={s * 0.85}
          fill={GROUND}
          stroke={color}
          strokeWidth={1.6}
          strokeDasharray="2.5 2"
        />
      );
    case "unpaired":
      return <path d={`M${x - s} ${y}H${x + s}`} stroke={color} strokeWidth={2} />;
    case "measured":
      return null;
  }
}

/** An interval; it lies on a bar too, from which the ground's colour around it sets it apart. */
export const Whisker = memo(function Whisker({ d }: { d: string }) {
  return (
    <>
      <path d={d} stroke={GROUND} strokeWidth={4.5} strokeLinecap="round" fill="none" />
      <path data-whisker="" d={d} stroke={TEXT} strokeWidth={1.5} fill="none" />
    </>
  );
});

interface DotsProps {
  at: readonly (readonly number[])[];
  color: string;
  /** Set apart, as a whisker is, from the bars that they lie on. */
  ringed?: boolean;
}

/** Any number of small points in a single node of the drawing, their rings in another. */
export function Dots({ at, color, ringed = false }: DotsProps) {
  const d = at.map(([x, y]) => `M${x} ${y}h0`).join("");
  return (
    <>
      {ringed && <path d={d} stroke={GROUND} strokeWidth={6.5} strokeLinecap="round" fill="none" />}
      <path
        data-trials={at.length}
        d={d}
        stroke={color}
        strokeWidth={4.5}
        strokeLinecap="round"
        strokeOpacity={0.7}
        fill="none"
      />
    </>
  );
}
