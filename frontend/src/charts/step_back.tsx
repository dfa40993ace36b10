import { useLayoutEffect, useRef } from "react";
import { type Pointed, usePlace } from "./pointed";

/** Of everything that is drawn of the series at `place`. */
export const seriesClass = (place: number) => `series-${place}`;

const FAINT = "0.15";

/**
 * Inside a chart: lets the other series step back while one has the pointer or the keyboard in the
 * legend. It marks what is drawn, so that a moving pointer never draws the chart again.
 */
export function StepBack({ near, series }: { near: Pointed; series: readonly string[] }) {
  const place = useRef<SVGGElement>(null);
  const key = usePlace(near);
  useLayoutEffect(() => {
    const plot = place.current?.ownerSVGElement;
    for (const [at, one] of series.entries()) {
      const drawn = `.${seriesClass(at)}`;
      for (const node of plot?.querySelectorAll(drawn) ?? []) {
        // Recharts marks a bar and the layer around it: twice faint would be too faint.
        if (node.parentElement?.closest(drawn)) continue;
        if (key === null || key === one) node.removeAttribute("opacity");
        else node.setAttribute("opacity", FAINT);
      }
    }
  });
  return <g ref={place} />;
}
