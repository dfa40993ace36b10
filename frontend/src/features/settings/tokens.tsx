import { Badge, Button, Code, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { type Token, useRevoke } from "~/queries/tokens";
import { Confirm } from "~/ui/confirm";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { MintToken } from "./mint_token";

/** The user's own API tokens: make, look over, revoke. */
export function Tokens({ tokens }: { tokens: UseQueryResult<Token[], Error> }) {
  const { t } = useTranslation("settings");
  const [revoking, setRevoking] = useState<Token | null>(null);
  return (
    <Stack gap="lg">
      <Loaded query={tokens}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm">{t("no_tokens")}</Text>
          ) : (
            <WideTable caption={t("tokens")} captionHidden minWidth={680}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t("name")}</Table.Th>
                  <Table.Th scope="col">{t("begins_with")}</Table.Th>
                  <Table.Th scope="col">{t("role")}</Table.Th>
                  <Table.Th scope="col">{t("expires")}</Table.Th>
                  <Table.Th scope="col">{t("last_used")}</Table.Th>
                  <Table.Th scope="col">{t("actions")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.map((token) => (
                  <Row key={token.id} token={token} onRevoke={() => setRevoking(token)} />
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
      <MintToken />
      <Revoke token={revoking} onClose={() => setRevoking(null)} />
    </Stack>
  );
}

function Row({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { t } = useTranslation("settings");
  const word = useWords();
  const expired = Date.parse(token.expires_at) <= Date.now();
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {token.name}
      </Table.Th>
      <Table.Td>
        <Code>{token.hint}</Code>
      </Table.Td>
      <Table.Td>{word("role", token.role)}</Table.Td>
      <Table.Td>
        <Moment at={token.expires_at} />{" "}
        {expired && (
          <Badge color="red" variant="light" tt="none">
            {t("expired")}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>{token.last_used_at ? <Moment at={token.last_used_at} /> : t("never")}</Table.Td>
      <Table.Td>
        <Button
          size="xs"
          variant="default"
          onClick={onRevoke}
          aria-label={t("revoke_name", { name: token.name })}
        >
          {t("revoke")}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function Revoke({ token, onClose }: { token: Token | null; onClose: () => void }) {
  const { t } = useTranslation("settings");
  const revoke = useRevoke();
  function close() {
    revoke.reset();
    onClose();
  }
  return (
    <Confirm
      asked={token !== null}
      title={t("revoke_name", { name: token?.name ?? "" })}
      text={t("revoke_text")}
      action={t("revoke")}
      error={revoke.error}
      pending={revoke.isPending}
      onConfirm={() => token && revoke.mutate(token.id, { onSuccess: close })}
      onClose={close}
    />
  );
}
