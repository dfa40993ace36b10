import type { ReactNode } from "react";
import type { Unit } from "~/api/types";
import { ChartFrame } from "./chart_frame";
import type { BarGroup } from "./types";

export interface BarChartProps {
  title: string;
  description?: ReactNode;
  y: { label: string; unit: Unit };
  groups: BarGroup[];
  /** What the line at zero means, "as node to node"; bars diverge from it. */
  zeroLabel?: string;
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

/** Horizontal bars with whiskers around zero; framed, with its table twin and exports. */
export function BarChart({ title }: BarChartProps) {
  return (
    <ChartFrame title={title} table={{ columns: [], rows: [] }} fileName="chart">
      {null}
    </ChartFrame>
  );
}
