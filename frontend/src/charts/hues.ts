import registry from "~/api/registry.json";
import type { AxisValue } from "~/api/types";

const DECLARED: Readonly<Record<string, readonly AxisValue[]>> = registry.axis_values;

/** The axes of a cluster's modes, whose values have one colour each. */
export const MODE_AXES: readonly string[] = registry.mode_axes;

/**
 * The place in the palette of a value of an axis: where the axis declares it, so that a mode has
 * one colour on every page, and for values that only a document knows, where it stands among them.
 */
export function hueOf(
  axis: string,
  value: AxisValue | undefined,
  met: readonly (AxisValue | undefined)[] = [],
): number {
  if (value === undefined) return 0;
  const declared = DECLARED[axis]?.indexOf(value) ?? -1;
  return declared >= 0 ? declared : Math.max(0, met.indexOf(value));
}
