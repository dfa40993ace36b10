import { useTranslation } from "react-i18next";

/** The groups of `words.json`: the domain's terms, as the API spells them. */
export type WordGroup =
  | "axis"
  | "axis_value"
  | "case_status"
  | "direction"
  | "gate"
  | "kind"
  | "metric"
  | "outcome"
  | "profile"
  | "role"
  | "run_state"
  | "shape"
  | "trial_status"
  | "unit"
  | "verdict";

/**
 * Names a term of the API in the user's language. A term that is not known yet (a newer API, a
 * node's name as an axis value) is shown as the API spells it.
 */
export function useWords(): (group: WordGroup, term: string | number) => string {
  const { t } = useTranslation("words");
  return (group, term) => {
    const look = t as (key: string, options: { defaultValue: string }) => string;
    return look(`${group}.${String(term).replaceAll(".", "_")}`, { defaultValue: String(term) });
  };
}
