import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { AxisValue, Schemas } from "~/api/types";
import { useMessageText } from "~/i18n/messages";
import { useWords } from "~/i18n/words";
import { formatNumber } from "~/quantities/format";
import type { Say } from "./entries";
import type { NameValue } from "./select";

export interface Texts extends Say {
  /** A value on its axis, "nftables", "8 streams". */
  value: NameValue;
}

/** How points, notes and missing values are said; the same object until the language changes. */
export function useTexts(): Texts {
  const { t, i18n } = useTranslation("charts");
  const word = useWords();
  const say = useMessageText();
  // biome-ignore lint/correctness/useExhaustiveDependencies: t and word follow the language
  return useMemo(
    () => ({
      value: (axis: string, value: AxisValue | undefined) => {
        if (value === undefined) return "";
        return typeof value === "number"
          ? `${word("axis", axis)} ${formatNumber(value, true)}`
          : word("axis_value", value);
      },
      note: ({ code, message, needed, found }: Schemas["Note"]) => {
        const text = word("warning", code);
        if (text === code) return message;
        return needed == null || found == null ? text : t("needs", { text, needed, found });
      },
      unmeasured: ({ status, reason, failures }: Schemas["CaseFacts"]) => {
        const why = reason ?? failures[0]?.message;
        return why ? say(why) : word("case_status", status);
      },
    }),
    [i18n.language, say],
  );
}
