import i18next from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { listed } from "./marks";

/**
 * The domain's terms, as the API spells them: the groups of `words.json`, which results are named
 * in, of `definitions.json`, which only the application says, and of `reproduction.json`.
 */
export type WordGroup =
  | "access"
  | "audited_detail"
  | "audited_field"
  | "audited_object"
  | "audited_operation"
  | "axis"
  | "axis_description"
  | "axis_role"
  | "axis_scope"
  | "axis_value"
  | "capability"
  | "case_status"
  | "claim_verdict"
  | "direction"
  | "fact"
  | "finding"
  | "fingerprint_field"
  | "format"
  | "gate"
  | "how"
  | "keep"
  | "kind"
  | "kind_description"
  | "level"
  | "log_format"
  | "log_level"
  | "method"
  | "metric"
  | "metric_choice"
  | "metric_description"
  | "order"
  | "our_verdict"
  | "outcome"
  | "parameter"
  | "parameter_description"
  | "preflight_state"
  | "problem"
  | "profile"
  | "quota"
  | "reason"
  | "repetition"
  | "repetition_description"
  | "role"
  | "run_state"
  | "shape"
  | "step"
  | "trial_status"
  | "unit"
  | "verdict"
  | "via"
  | "warning"
  | "why_not_told";

/**
 * Names a term of the API in the user's language. A term that is not known yet (a newer API, a
 * node's name as an axis value) is shown as the API spells it, a pair of nodes with its direction.
 */
export function useWords(): (group: WordGroup, term: string | number) => string {
  const { t } = useTranslation(["words", "definitions", "reproduction"]);
  return useCallback(
    (group, term) => {
      const look = t as (keys: string[], options: { defaultValue: string }) => string;
      const key = keyOf(group, term);
      const keys = [key, `definitions:${key}`, `reproduction:${key}`];
      return look(keys, { defaultValue: String(term).replace("~", " → ") });
    },
    [t],
  );
}

/** The word for a term in the language that is spoken now; undefined where there is none. */
export function wordOf(group: string, term: string): string | undefined {
  const { language } = i18next;
  return ["words", "definitions"]
    .map((file): unknown => i18next.getResource(language, file, keyOf(group, term)))
    .find((word) => typeof word === "string");
}

/** Where a word is; a dot in its term would part the key. */
function keyOf(group: string, term: string | number): string {
  return `${group}.${String(term).replaceAll(".", "_")}`;
}

/** Words after each other, as the user's language parts them. */
export function useWordList(): (words: readonly string[]) => string {
  useTranslation();
  return listed;
}
