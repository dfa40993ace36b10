import { type Fault, ProblemError } from "~/api/problem";
import { parted } from "~/i18n/punctuation";
import type { SpecDocument, TextFault } from "./document";
import { isWithin, pathOf, placeOf } from "./pointers";

/** A fault that the API found in the specification. */
export interface SpecFault {
  pointer: string;
  message: string;
}

/** The faults of an answer that refused a specification; none for any other answer. */
export function specFaults(error: Error | null): SpecFault[] {
  if (!(error instanceof ProblemError) || error.status !== 422) return [];
  return (error.problem.errors ?? []).flatMap((fault: Fault) =>
    fault.pointer == null ? [] : [{ pointer: fault.pointer, message: fault.message.text }],
  );
}

/** What is wrong at `pointer` or inside it, in one text; undefined where nothing is. */
export function faultAt(faults: readonly SpecFault[], pointer: string): string | undefined {
  const here = faults.filter((fault) => isWithin(fault.pointer, pointer));
  return here.length === 0 ? undefined : parted(here.map((fault) => fault.message));
}

/** What no field shows, of those at `shown`. */
export function faultsElsewhere(
  faults: readonly SpecFault[],
  shown: readonly string[],
): SpecFault[] {
  return faults.filter((fault) => !shown.some((pointer) => isWithin(fault.pointer, pointer)));
}

/**
 * Everything that is wrong with the text, in its order: what it cannot be read for, or the API's,
 * which names the field, because a missing field has no line.
 */
export function textFaults(
  document: SpecDocument,
  faults: readonly SpecFault[],
  say: (fault: TextFault) => string,
): TextFault[] {
  if (document.faults.length > 0) {
    return document.faults.map((fault) => ({ ...fault, message: say(fault) }));
  }
  return faults
    .map(({ pointer, message }) => ({
      message: named(pathOf(pointer).join("."), message),
      ...placeOf(document, pointer),
    }))
    .sort((one, other) => one.from - other.from);
}

function named(field: string, message: string): string {
  return field === "" ? message : `${field}: ${message}`;
}
