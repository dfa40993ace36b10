import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { tokensOptions } from "~/queries/tokens";
import { daysLeft } from "~/ui/expiring";
import { AnchorLink } from "~/ui/link";

/** Reminds of the user's own API tokens that end soon: what uses them will be refused. */
export function ExpiringTokens() {
  const { t } = useTranslation("overview");
  const { data } = useQuery(tokensOptions);
  const now = Date.now();
  const soon = (data ?? []).filter((token) => daysLeft(token.expires_at, now) !== null);
  if (soon.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title={t("tokens_end", { count: soon.length })}>
      {soon.map((token) => token.name).join(", ")}.{" "}
      <AnchorLink to="/settings" size="sm">
        {t("to_tokens")}
      </AnchorLink>
    </Alert>
  );
}
