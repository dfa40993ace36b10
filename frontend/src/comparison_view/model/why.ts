import type { Schemas } from "~/api/types";
import type { PointState } from "~/charts/types";

type Pair = Schemas["Pair"];
type CaseRef = Schemas["CaseRef"];

/** Why there is no effect or no value; said in words by `useReasons`. */
export type Why =
  | { because: "refused" }
  | { because: "case"; side: "baseline" | "contender"; status: string; reason: CaseRef["reason"] }
  | { because: "unpaired" }
  | { because: "not_measured" }
  | { because: "no_ratio" };

/** Why a pair has no effects; the side that did not succeed is named. */
export function whySilent(pair: Pair): Why {
  if (pair.comparability === "refused") return { because: "refused" };
  for (const side of ["contender", "baseline"] as const) {
    const { status, reason } = pair[side];
    if (status !== "succeeded") return { because: "case", side, status, reason };
  }
  return { because: "not_measured" };
}

/** How a case without a value is drawn. */
export function stateOf(ref: CaseRef): Exclude<PointState, "measured"> {
  return ref.status === "failed" || ref.status === "skipped" ? ref.status : "missing";
}
