import type { Axes } from "../layout/axes";
import { type Layout, layoutOf, NO_FACET } from "../layout/layout";
import type { ChartView } from "../view";

/** The layout that a view asks for; left open, pairs are along x by themselves: they make a grid. */
export function reportLayout(axes: Axes, view: ChartView): Layout {
  const pairs = [...axes.values()].find(({ role }) => role === "pair")?.name;
  const otherX = view.x !== undefined && axes.has(view.x) && view.x !== pairs;
  const told = view.series?.some((one) => axes.has(one)) || view.facet === NO_FACET;
  if (pairs === undefined || otherX || told) return layoutOf(axes, view);
  const facets = [...axes.keys()].filter((name) => name !== pairs);
  return { x: pairs, series: [], facets, numeric: false };
}

/** Whether cells show it: pairs along x, and nothing else. */
export function isPairs(axes: Axes, { x, series }: Layout): boolean {
  return axes.get(x ?? "")?.role === "pair" && series.length === 0;
}
