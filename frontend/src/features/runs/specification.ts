import { stringify } from "yaml";
import type { RunDetail } from "~/queries/runs";

/** Everything that the run carries, axes as an author would write them, in the planned order. */
export function resolvedText({ axes, ...rest }: RunDetail["spec"]): string {
  const { name, kind, kind_version, description, parameters, repetition } = rest;
  return stringify({
    name,
    kind,
    kind_version,
    ...(description && { description }),
    parameters,
    axes: Object.fromEntries(axes.map((axis) => [axis.name, axis.values])),
    repetition,
  });
}

/** As its author wrote it: what keeps the profile's figure is not said. */
export function writtenText({ repetition, ...rest }: RunDetail["written"]): string {
  const said = Object.entries(repetition ?? {}).filter(([, value]) => value !== null);
  return stringify({ ...rest, repetition: Object.fromEntries(said) });
}
