import type { AxisValue, Schemas } from "~/api/types";
import type { RunDetail, Step } from "~/queries/runs";

/** Which changes the run's state allows: the likely one, and what is kept out of the way. */
export function possibleSteps(
  run: Pick<
    RunDetail,
    "state" | "outcome" | "cancel_requested_at" | "conclude_requested_at" | "spec"
  >,
): {
  first: Step[];
  more: Step[];
} {
  if (run.state !== "finished") {
    if (run.cancel_requested_at !== null) return { first: [], more: [] };
    const concludes = run.spec.repetition.until_decided && run.conclude_requested_at === null;
    return { first: concludes ? ["conclude", "cancel"] : ["cancel"], more: [] };
  }
  const again: Partial<Record<Schemas["Outcome"], Step>> = {
    partial: "retry",
    failed: "retry",
    interrupted: "resume",
    cancelled: "resume",
  };
  const step = run.outcome === null ? undefined : again[run.outcome];
  return { first: step === undefined ? [] : [step], more: ["delete"] };
}

/** The cluster modes (and clusters) that the run itself went through, and so can compare. */
export function modeAxes(
  spec: RunDetail["spec"],
): { axis: string; values: [AxisValue, ...AxisValue[]] }[] {
  return spec.axes
    .filter((axis) => axis.scope !== "case")
    .flatMap(({ name, values }) => {
      const [first, ...rest] = values as AxisValue[];
      return first === undefined || rest.length === 0
        ? []
        : [{ axis: name, values: [first, ...rest] as [AxisValue, ...AxisValue[]] }];
    });
}
