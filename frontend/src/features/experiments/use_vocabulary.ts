import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useExplained } from "~/i18n/explained";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { PROFILES } from "./repetition_fields";
import { schemaFields } from "./schema_fields";
import type { Vocabulary } from "./yaml_words";

/** The words of a specification, explained in the user's language. */
export function useVocabulary(kinds: readonly Kind[], clusterNames: readonly string[]): Vocabulary {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const look = t as (key: string, options: { defaultValue: string }) => string;
  const names = clusterNames.join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are a new list each time
  return useMemo(() => {
    const about = ([section = "", name]: readonly string[], kind: Kind | undefined): string => {
      if (name === undefined) return look(`about_section.${section}`, { defaultValue: "" });
      if (section === "kind") {
        const one = kinds.find((known) => known.name === name);
        return one ? explained("kind_description", name, one.description) : "";
      }
      if (section === "repetition") return known(word("repetition_description", name), name);
      const axis = kind?.axes.find((one) => one.name === name);
      if (section === "axes" && axis) return explained("axis_description", name, axis.description);
      const field = schemaFields(kind?.parameters ?? {}).find((one) => one.name === name);
      if (section === "parameters" && field) {
        return explained("parameter_description", name, field.description);
      }
      return "";
    };
    return { kinds, clusterNames, profiles: PROFILES, about };
  }, [kinds, names, t, word]);
}

/** Of a word that nobody knows there is nothing to say. */
function known(text: string, name: string): string {
  return text === name ? "" : text;
}
