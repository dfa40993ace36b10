import { createContext, type ReactNode } from "react";
import type { BarRows } from "./bar_rows";
import type { Layout } from "./layout/layout";
import type { Quantity } from "./types";

/** Which chart asks what to draw beside it. */
export interface OverlayRequest {
  y: Quantity;
  /** The panel's key: its values on the facets' axes. */
  panel: string;
  layout: Layout;
}

/** What is drawn into a chart and is none of its own: its scales know nothing of it. */
export interface ChartOverlay {
  /** The chart's description with what is said of it. */
  describe: (description: ReactNode) => ReactNode;
  curves: (factor: number) => ReactNode;
  bars: (drawn: {
    at: BarRows["at"];
    series: readonly { key: string }[];
    factor: number;
  }) => ReactNode;
}

/** Around charts that have something beside them. */
export const ChartOverlays = createContext<
  ((asked: OverlayRequest) => ChartOverlay | undefined) | null
>(null);
