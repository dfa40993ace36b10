import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "~/ui/empty_state";

/** A list that was narrowed to nothing; `children` leads to all of it. */
export function NoneMatch({ children }: { children: ReactNode }) {
  const { t } = useTranslation("finding");
  return (
    <EmptyState title={t("none_match")} action={children}>
      {t("none_match_text")}
    </EmptyState>
  );
}
