import { Document, isMap, isSeq } from "yaml";
import type { AxisValue, Schemas } from "~/api/types";
import { print } from "./document";

/** A specification as templates and the API have it. */
export interface PlainSpec {
  name: string;
  kind: string;
  description?: string;
  axes?: Record<string, AxisValue[]>;
  parameters?: Record<string, unknown>;
  repetition?: Record<string, unknown>;
}

/** The specification as YAML, without what says nothing. `axisOrder` is the kind's. */
export function specText(spec: PlainSpec, axisOrder: readonly string[] = []): string {
  const axes = Object.entries(spec.axes ?? {});
  const place = (name: string) => (axisOrder.indexOf(name) + 1 || axisOrder.length + 1) - 1;
  axes.sort(([one], [other]) => place(one) - place(other));
  const parameters = given(spec.parameters);
  const repetition = given(spec.repetition);
  const node = new Document(
    {
      name: spec.name,
      kind: spec.kind,
      ...(spec.description && { description: spec.description }),
      ...(axes.length > 0 && { axes: Object.fromEntries(axes) }),
      ...(parameters && { parameters }),
      ...(repetition && { repetition }),
    },
    { version: "1.1" },
  );
  const lists = node.get("axes");
  if (isMap(lists)) {
    for (const { value } of lists.items) if (isSeq(value)) value.flow = true;
  }
  return print(node);
}

/** A kept experiment as text. */
export function textOf(
  experiment: Schemas["ExperimentView"],
  kinds: Schemas["KindView"][],
): string {
  const kind = kinds.find(({ name }) => name === experiment.kind);
  return specText(
    experiment.spec as PlainSpec,
    kind?.axes.map(({ name }) => name),
  );
}

/** Without nulls; undefined where nothing is left. */
function given(fields: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  const kept = Object.entries(fields ?? {}).filter(([, value]) => value != null);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
