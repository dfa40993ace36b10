import type { AxisValue, Schemas } from "~/api/types";
import type { ImportAxis, RecognisedOutput } from "~/queries/imports";

/** Variants that the first one is compared with at most, as the API has it. */
const MOST_CONTENDERS = 20;

/** What was written for an output, by axis; "" is not said. */
export type Written = Readonly<Record<string, string>>;
/** The same by the output's number. */
export type Placed = Readonly<Record<number, Written>>;

/** A value as the API takes it: on an axis of numbers a whole number, if it is one. */
function valueAt(axis: ImportAxis | undefined, written: string): AxisValue {
  const number = axis !== undefined && axis.choices.length === 0 && axis.name !== "variant";
  return number && /^[0-9]{1,15}$/.test(written) ? Number(written) : written;
}

/** What is sent of what was written: the axes that are shown, and of them what outputs do not tell. */
export function placedOutputs(
  outputs: readonly RecognisedOutput[],
  axes: readonly ImportAxis[],
  shown: readonly string[],
  placed: Placed,
): { output: number; at: Record<string, AxisValue> }[] {
  return outputs.flatMap(({ output, told: recognisedText }) => {
    const at = Object.fromEntries(
      shown.flatMap((name) => {
        const written = placed[output]?.[name]?.trim() ?? "";
        const axis = axes.find((one) => one.name === name);
        return written === "" || name in recognisedText
          ? []
          : [[name, valueAt(axis, written)] as const];
      }),
    );
    return Object.keys(at).length === 0 ? [] : [{ output, at }];
  });
}

/** The same value for all outputs that do not tell it themselves. */
export function placeAll(
  outputs: readonly RecognisedOutput[],
  placed: Placed,
  axis: string,
  written: string,
): Placed {
  return Object.fromEntries(
    outputs.map(({ output, told: recognisedText }) => [
      output,
      axis in recognisedText ? (placed[output] ?? {}) : { ...placed[output], [axis]: written },
    ]),
  );
}

/** What stays of what was written once a text is read again: of the outputs that are the same ones. */
export function stillPlaced(
  placed: Placed,
  before: readonly RecognisedOutput[],
  after: readonly RecognisedOutput[],
): Placed {
  const same = before.filter((one, place) => recognisedText(one) === recognisedText(after[place]));
  return Object.fromEntries(same.map(({ output }) => [output, placed[output] ?? {}]));
}

/** What tells an output apart, wherever in a text it stands. */
function recognisedText(one: RecognisedOutput | undefined): string {
  return JSON.stringify([
    one?.tool,
    one?.told,
    one?.figures.map(({ metric, value }) => [metric, value]),
  ]);
}

/** From where to where the line of that number stands in a text; lines count from 1. */
export function lineSpan(text: string, line: number): [number, number] {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return [before, before + (lines[line - 1]?.length ?? 0)];
}

type Sent = readonly { output: number; at: Readonly<Record<string, AxisValue>> }[];

/** How many cases the outputs are: those at one point are trials of one. */
export function casesOf(outputs: readonly RecognisedOutput[], sent: Sent): number {
  const several = new Set(outputs.map(({ tool }) => tool)).size > 1;
  const points = outputs.map(({ output, told: recognisedText, tool }) => {
    const at = sent.find((one) => one.output === output)?.at ?? {};
    const point = { ...at, ...recognisedText, ...(several ? { tool } : {}) };
    return JSON.stringify(Object.entries(point).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
  return new Set(points).size;
}

/** The variants of the outputs, in their order; none where an output has none. */
export function variantsOf(outputs: readonly RecognisedOutput[], sent: Sent): string[] {
  const found = outputs.map(({ output }) => sent.find((one) => one.output === output)?.at.variant);
  return found.includes(undefined) ? [] : [...new Set(found.map(String))];
}

/** A kept run against itself: its first variant with all others, as far as the API takes them. */
export function comparisonOf(run: string, variants: readonly string[]): Schemas["NewComparison"] {
  const [baseline, ...contenders] = variants.map((variant) => ({
    run_id: run,
    where: { variant },
  }));
  return {
    baseline: baseline ?? { run_id: run, where: {} },
    contenders: contenders.slice(0, MOST_CONTENDERS),
    metrics: "all",
    noise_threshold: 0.03,
    alpha: 0.05,
  };
}
