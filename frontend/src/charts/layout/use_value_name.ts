import { useCallback } from "react";
import { useWords } from "~/i18n/words";
import { formatNumber } from "~/quantities/format";
import type { NameValue } from "./panels";

/** A value on its axis, "nftables", "Streams 8"; the same function until the language changes. */
export function useValueName(): NameValue {
  const word = useWords();
  return useCallback(
    (axis, value) => {
      if (value === undefined) return "";
      return typeof value === "number"
        ? `${word("axis", axis)} ${formatNumber(value, true)}`
        : word("axis_value", value);
    },
    [word],
  );
}
