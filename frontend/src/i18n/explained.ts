import { useWords } from "./words";

export type ExplainedGroup = "kind_description" | "axis_description" | "parameter_description";

/** An explanation in the user's language; an untranslated one in the API's English. */
export function useExplained(): (group: ExplainedGroup, name: string, said: string) => string {
  const word = useWords();
  return (group, name, said) => {
    const text = word(group, name);
    return text === name ? said : text;
  };
}
