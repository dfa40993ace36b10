import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { listed } from "./punctuation";
import type { WordGroup } from "./word_groups";

export type { WordGroup };

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

/** Where a word is; a dot in its term would part the key. */
function keyOf(group: string, term: string | number): string {
  return `${group}.${String(term).replaceAll(".", "_")}`;
}

/** Words after each other, as the user's language parts them. */
export function useWordList(): (words: readonly string[]) => string {
  useTranslation();
  return listed;
}
