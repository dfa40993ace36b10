import type { AxisValue, Schemas } from "~/api/types";
import type { PlainSpec } from "./spec_text";

/** The template that leaves everything to the author. */
export const BLANK = "blank";

/** A kind with all its axes at their defaults, except those that depend on the profile. */
export function wholeKind(kind: Schemas["KindView"], name: string): PlainSpec {
  const axes: Record<string, AxisValue[]> = {};
  for (const axis of kind.axes) {
    if (axis.default?.length && !axis.quick?.length) axes[axis.name] = axis.default;
  }
  return { name, kind: kind.name, axes, repetition: { profile: "quick" } };
}

/** What a kind is about: the metrics that have a better direction, at most `most` of them. */
export function mainMetrics(kind: Schemas["KindView"], most = 4): Schemas["MetricDefinition"][] {
  return kind.metrics.filter((metric) => metric.direction !== "none").slice(0, most);
}
