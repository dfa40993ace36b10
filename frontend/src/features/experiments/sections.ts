import type { Schemas } from "~/api/types";
import type { Kind } from "~/queries/kinds";
import { type Path, valueAt } from "./document";
import { pointerOf } from "./pointers";
import { schemaFields } from "./schema_fields";

/** The keys of a specification and of its repetition plan, held to the contract by their types. */
export const SECTIONS = Object.keys({
  name: true,
  kind: true,
  description: true,
  axes: true,
  parameters: true,
  repetition: true,
} satisfies Record<keyof Schemas["ExperimentSpec"], true>);
export const REPETITION = Object.keys({
  profile: true,
  rounds: true,
  trials: true,
  seconds: true,
  warmup: true,
  void_replacements: true,
  seed: true,
  until_decided: true,
} satisfies Record<keyof Schemas["RepetitionPlan"], true>);
const UNTIL_DECIDED = Object.keys({
  difference: true,
  most_minutes: true,
} satisfies Record<keyof Schemas["UntilDecided"], true>);

/** Whether fields of the section can be written: it is a mapping, or nothing yet. */
export function isWritable(value: Record<string, unknown>, section: string): boolean {
  const standing = value[section];
  return standing == null || (typeof standing === "object" && !Array.isArray(standing));
}

/** What the document has and no field stands for; without a kind nothing of it can be judged. */
export function strangers(value: Record<string, unknown>, kind: Kind | undefined): Path[] {
  return [
    ...keysBesides(value, [], SECTIONS),
    ...(kind === undefined ? [] : unknownSectionFields(value, "axes", axisNames(kind))),
    ...(kind === undefined ? [] : unknownSectionFields(value, "parameters", parameterNames(kind))),
    ...unknownSectionFields(value, "repetition", REPETITION),
  ];
}

/** Where the form shows faults, as JSON pointers. */
export function shownPointers(value: Record<string, unknown>, kind: Kind | undefined): string[] {
  return [
    ["name"],
    ["kind"],
    ["description"],
    ...(kind === undefined ? [] : axisNames(kind).map((name) => ["axes", name])),
    ...(kind === undefined ? [] : parameterNames(kind).map((name) => ["parameters", name])),
    ...REPETITION.map((name) => ["repetition", name]),
    ...UNTIL_DECIDED.map((name) => ["repetition", "until_decided", name]),
    ...strangers(value, kind),
  ].map(pointerOf);
}

function unknownSectionFields(
  value: Record<string, unknown>,
  section: string,
  known: readonly string[],
): Path[] {
  return isWritable(value, section) ? keysBesides(value, [section], known) : [[section]];
}

function keysBesides(value: unknown, path: Path, known: readonly string[]): Path[] {
  return Object.keys(Object(valueAt(value, path)))
    .filter((key) => !known.includes(key))
    .map((key) => [...path, key]);
}

const axisNames = (kind: Kind) => kind.axes.map(({ name }) => name);
const parameterNames = (kind: Kind) => schemaFields(kind.parameters).map(({ name }) => name);
