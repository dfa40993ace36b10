import { useState } from "react";
import { type ChartView, readChartView } from "~/charts/view";

/** The chart view in the address of a page without a router; a list is written as `a,b`. */
export function readAddress(search: string): ChartView {
  const given = Object.fromEntries(new URLSearchParams(search));
  return readChartView({ ...given, series: given.series?.split(",") });
}

export function writeAddress(search: string, view: ChartView): string {
  const given = new URLSearchParams(search);
  for (const name of ["metric", "x", "series", "facet", "xScale", "yScale"] as const) {
    const value = view[name];
    if (value === undefined) given.delete(name);
    else given.set(name, Array.isArray(value) ? value.join(",") : value);
  }
  const text = given.toString();
  return text === "" ? "" : `?${text}`;
}

export function useAddressView(): [ChartView, (view: ChartView) => void] {
  const [view, setView] = useState(() => readAddress(location.search));
  return [
    view,
    (next) => {
      setView(next);
      history.replaceState(null, "", location.pathname + writeAddress(location.search, next));
    },
  ];
}
