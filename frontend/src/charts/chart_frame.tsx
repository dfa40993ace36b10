import { Paper, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { ChartTable } from "./types";

/** One entry of a legend: what tells a series apart, also in black and white. */
export interface LegendEntry {
  label: string;
  color: string;
  /** SVG stroke-dasharray of a curve; "" is solid. Bars have none. */
  dash?: string;
  marker?: string;
}

export interface ChartFrameProps {
  title: string;
  description?: ReactNode;
  table: ChartTable;
  /** Of downloads, without extension. */
  fileName: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
  legend?: LegendEntry[];
  children: ReactNode;
}

/**
 * Frame of every chart: title, menu (copy link, SVG, PNG, CSV, Markdown), the table twin.
 * `CurveChart`, `BarChart` and `SeriesChart` stand in one by themselves; only a chart of one's
 * own needs to be put into it.
 */
export function ChartFrame({ title, children }: ChartFrameProps) {
  return (
    <Paper withBorder p="md">
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
