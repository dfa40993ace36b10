import type { ChartView } from "../view";
import type { Axes } from "./axes";
import { type Layout, NO_FACET } from "./layout";

/** How fields share a row: which metric, and which axis. */
export const WIDE = "2 1 16rem";
export const NARROW = "1 1 9rem";

/** Where axes can go: which are not along x, which splits into charts, which tell series apart. */
export function placesOf(axes: Axes, layout: Layout, view: ChartView) {
  const free = [...axes.keys()].filter((axis) => axis !== layout.x);
  const facet = view.facet === NO_FACET ? NO_FACET : (layout.facets[0] ?? NO_FACET);
  return { free, facet, tellable: free.filter((axis) => axis !== facet) };
}
