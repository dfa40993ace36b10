/** The domain's terms, as the API spells them: groups of the catalog that name what results have. */
export const WORDS = [
  "axis",
  "axis_value",
  "case_status",
  "direction",
  "finding",
  "fingerprint_field",
  "gate",
  "kind",
  "level",
  "limited_by",
  "method",
  "metric",
  "not_counted",
  "outcome",
  "reason",
  "run_state",
  "shape",
  "unit",
  "verdict",
  "warning",
] as const;

/** Groups that only the application says. */
export const DEFINITIONS = [
  "access",
  "address_proof",
  "audited_detail",
  "audited_field",
  "audited_object",
  "audited_operation",
  "axis_description",
  "axis_role",
  "axis_scope",
  "capability",
  "fact",
  "format",
  "keep",
  "kind_description",
  "log_format",
  "log_level",
  "metric_choice",
  "metric_description",
  "order",
  "parameter",
  "parameter_description",
  "preflight_state",
  "problem",
  "profile",
  "quota",
  "repetition",
  "repetition_description",
  "replacement_state",
  "role",
  "step",
  "trial_status",
  "via",
] as const;

/** Groups of `reproduction.json`. */
type OfReproduction = "claim_verdict" | "how" | "our_verdict" | "why_not_told";

export type WordGroup = (typeof WORDS)[number] | (typeof DEFINITIONS)[number] | OfReproduction;
