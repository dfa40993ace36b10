import { useWords } from "~/i18n/words";

export type ExplainedGroup = "kind_description" | "axis_description" | "parameter_description";

/** An explanation in the user's language; one that is not translated yet as the API says it. */
export function useExplained(): (group: ExplainedGroup, name: string, said: string) => string {
  const word = useWords();
  return (group, name, said) => {
    const text = word(group, name);
    return text === name ? said : text;
  };
}
