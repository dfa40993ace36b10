import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { specText } from "./spec_text";
import { BLANK, isReadyMade, READY_MADE, wholeKind } from "./templates";

/** The text that a template starts with, named in the user's language; undefined if there is none. */
export function useTemplateText(): (
  template: string,
  kinds: readonly Kind[],
) => string | undefined {
  const { t } = useTranslation("experiments");
  const word = useWords();
  return (template, kinds) => {
    if (template === BLANK) return specText({ name: t("untitled"), kind: kinds[0]?.name ?? "" });
    const whole = kinds.find(({ name }) => name === template);
    if (whole) return specText(wholeKind(whole, word("kind", whole.name)));
    if (!isReadyMade(template)) return undefined;
    const spec = READY_MADE[template];
    return specText({
      name: t(`template.${template}.title`),
      description: t(`template.${template}.about`),
      ...spec,
    } as Parameters<typeof specText>[0]);
  };
}
