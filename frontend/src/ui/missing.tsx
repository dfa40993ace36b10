import { useTranslation } from "react-i18next";
import { EmptyState } from "./empty_state";
import { AnchorLink } from "./link";
import { Page } from "./page";

/** Where a thing that is not there would be listed. */
const LISTS = {
  cluster: "/clusters",
  experiment: "/experiments",
  run: "/runs",
  comparison: "/",
  reference: "/references",
} as const;

export { isMissing } from "~/api/problem";

export type Resource = keyof typeof LISTS;

/** The page of something that is not there, or not any more. */
export function Missing({ what }: { what: Resource }) {
  const { t } = useTranslation("frame");
  return (
    <Page title={t(`missing_${what}`)}>
      <EmptyState
        title={t("missing_title")}
        action={<AnchorLink to={LISTS[what]}>{t(`missing_${what}_list`)}</AnchorLink>}
      >
        {t("missing_text")}
      </EmptyState>
    </Page>
  );
}
