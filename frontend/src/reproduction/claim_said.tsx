import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

type ClaimText = Pick<Schemas["PublishedClaim"], "said" | "quote" | "where">;

/** What is claimed, in the words of the source, and where it says so. */
export function ClaimSaid({ claim, language }: { claim: ClaimText; language: string }) {
  const { t } = useTranslation("reproduction");
  return (
    <>
      {claim.said}
      <Text size="sm" c="dimmed">
        <q lang={language}>{claim.quote}</q> {t("at", { where: claim.where })}
      </Text>
    </>
  );
}
