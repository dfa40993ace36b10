import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import type { Template } from "~/queries/templates";
import { type PlainSpec, specText } from "./spec_text";
import { BLANK, wholeKind } from "./templates";

/** The text that a template starts with, named in the user's language; undefined if there is none. */
export function useTemplateText(): (
  template: string,
  kinds: readonly Kind[],
  templates: readonly Template[],
  values?: "published",
) => string | undefined {
  const { t } = useTranslation("experiments");
  const word = useWords();
  return (template, kinds, templates, values) => {
    if (template === BLANK) return specText({ name: t("untitled"), kind: kinds[0]?.name ?? "" });
    const whole = kinds.find(({ name }) => name === template);
    if (whole) return specText(wholeKind(whole, word("kind", whole.name)));
    const found = templates.find(({ id }) => id === template);
    const spec = values === "published" ? found?.published : found?.quick;
    if (!found || !spec) return undefined;
    return specText(spec as PlainSpec);
  };
}
