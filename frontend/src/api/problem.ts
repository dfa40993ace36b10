import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];
export type Fault = components["schemas"]["Fault"];

/** What the API answered instead of what was asked for: an RFC 9457 problem document. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "ProblemError";
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string {
    return this.problem.code;
  }

  /** The faults by their JSON pointer into the request body. */
  get byPointer(): ReadonlyMap<string, Fault> {
    return new Map(
      (this.problem.errors ?? []).flatMap((fault) =>
        fault.pointer == null ? [] : [[fault.pointer, fault] as const],
      ),
    );
  }
}

/** The server could not be reached, or answered something that is not the API's. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "UnreachableError";
  }
}

export function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "code" in value && "status" in value;
}

/** Whether the API says that there is no such thing, or that it is none of the user's. */
export function isMissing(error: Error | null): boolean {
  return error instanceof ProblemError && error.status === 404;
}
