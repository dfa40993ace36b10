import { useCallback } from "react";
import { useTranslation } from "react-i18next";

/** The groups of `words.json`: the domain's terms, as the API spells them. */
export type WordGroup =
  | "access"
  | "axis"
  | "axis_description"
  | "axis_role"
  | "axis_scope"
  | "axis_value"
  | "capability"
  | "case_status"
  | "direction"
  | "finding"
  | "format"
  | "gate"
  | "keep"
  | "kind"
  | "kind_description"
  | "log_level"
  | "method"
  | "metric"
  | "metric_choice"
  | "metric_description"
  | "outcome"
  | "parameter"
  | "parameter_description"
  | "preflight_state"
  | "profile"
  | "reason"
  | "repetition"
  | "repetition_description"
  | "role"
  | "run_state"
  | "shape"
  | "trial_status"
  | "unit"
  | "verdict"
  | "warning";

/**
 * Names a term of the API in the user's language. A term that is not known yet (a newer API, a
 * node's name as an axis value) is shown as the API spells it.
 */
export function useWords(): (group: WordGroup, term: string | number) => string {
  const { t } = useTranslation("words");
  return useCallback(
    (group, term) => {
      const look = t as (key: string, options: { defaultValue: string }) => string;
      return look(`${group}.${String(term).replaceAll(".", "_")}`, { defaultValue: String(term) });
    },
    [t],
  );
}
