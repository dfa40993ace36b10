import { Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Token } from "~/queries/tokens";
import { Loaded } from "~/ui/loaded";
import { MintToken } from "./mint_token";
import { TokensTable } from "./tokens_table";

/** The user's own API tokens: make, look over, revoke. */
export function Tokens({ tokens }: { tokens: UseQueryResult<Token[], Error> }) {
  const { t } = useTranslation("settings");
  return (
    <Stack gap="lg">
      <Loaded query={tokens}>
        {(found) => <TokensTable tokens={found} caption={t("tokens")} />}
      </Loaded>
      <MintToken />
    </Stack>
  );
}
