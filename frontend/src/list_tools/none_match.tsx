import { useTranslation } from "react-i18next";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";

/** A list that was narrowed to nothing, and the way to all of it. */
export function NoneMatch({ toAll }: { toAll?: string }) {
  const { t } = useTranslation("finding");
  const all = (
    <ButtonLink to="." search={{}} variant="default">
      {toAll ?? t("show_all")}
    </ButtonLink>
  );
  return (
    <EmptyState title={t("none_match")} action={all}>
      {t("none_match_text")}
    </EmptyState>
  );
}
