import { ProblemError } from "~/api/problem";

/** What the server said against a field of a request's body, by the field's JSON pointer. */
export function useFaultAt(error: Error | null): (pointer: string) => string | undefined {
  const faults = error instanceof ProblemError ? error.byPointer : null;
  return (pointer) => {
    const fault = faults?.get(pointer);
    return fault?.message.text;
  };
}
