import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import type { NameValue } from "../layout/panels";
import { useValueName } from "../layout/use_value_name";
import type { Say } from "./entries";

export interface Texts extends Say {
  /** A value on its axis, "nftables", "8 streams". */
  value: NameValue;
}

/** How points, notes and missing values are said; the same object until the language changes. */
export function useTexts(): Texts {
  const { t, i18n } = useTranslation("charts");
  const word = useWords();
  const value = useValueName();
  // biome-ignore lint/correctness/useExhaustiveDependencies: t and word follow the language
  return useMemo(
    () => ({
      value,
      note: ({ code, needed, found }) => {
        const text = word("warning", code);
        return needed == null || found == null ? text : t("needs", { text, needed, found });
      },
      unmeasured: ({ status, reason, failures }: Schemas["CaseFacts"]) => {
        const why = reason ?? failures[0]?.message;
        return why ? why.text : word("case_status", status);
      },
    }),
    [i18n.language, value],
  );
}
