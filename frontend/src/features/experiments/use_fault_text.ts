import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { TextFault } from "./document";

/** Says why a text cannot be read, in the user's language; what is rare as the reader says it. */
export function useFaultText(): (fault: TextFault) => string {
  const { t } = useTranslation("experiments");
  return useCallback(
    ({ code = "", message }) => {
      const look = t as (keys: string[], options: { said: string }) => string;
      return look([`unreadable.${code}`, "unreadable.other"], { said: message });
    },
    [t],
  );
}
