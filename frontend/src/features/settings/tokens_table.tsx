import { Button, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { clustersOptions } from "~/queries/clusters";
import { experimentsOptions } from "~/queries/experiments";
import { type Token, useRevoke } from "~/queries/tokens";
import { Confirm, useConfirmed } from "~/ui/confirm";
import { ExpiryBadge } from "~/ui/expiring";
import { Moment } from "~/ui/moment";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** API tokens, to look over and to revoke; with whose they are where they are everybody's. */
export function TokensTable({
  tokens,
  caption,
  everybodys = false,
}: {
  tokens: readonly Token[];
  caption: string;
  everybodys?: boolean;
}) {
  const { t } = useTranslation("settings");
  const revoking = useConfirmed(useRevoke());
  return (
    <>
      {tokens.length === 0 && (
        <Text size="sm">{t(everybodys ? "nobody_has_tokens" : "no_tokens")}</Text>
      )}
      {tokens.length > 0 && (
        <WideTable caption={caption} captionHidden minWidth={everybodys ? 800 : 680} stacked>
          <Table.Head
            columns={[
              t("name"),
              everybodys && t("whose"),
              t("role"),
              t("reaches"),
              t("expires"),
              t("last_used"),
              t("actions"),
            ]}
          />
          <Table.Tbody>
            {tokens.map((token) => (
              <Row
                key={token.id}
                token={token}
                everybodys={everybodys}
                onRevoke={() => revoking.ask(token)}
              />
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      <Confirm
        {...revoking.dialog}
        title={t("revoke_name", { name: revoking.item?.name ?? "" })}
        text={t("revoke_text")}
        action={t("revoke")}
      />
    </>
  );
}

interface RowProps {
  token: Token;
  everybodys: boolean;
  onRevoke: () => void;
}

function Row({ token, everybodys, onRevoke }: RowProps) {
  const { t } = useTranslation("settings");
  const word = useWords();
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {token.name}
        <Text size="xs" c="dimmed">
          {t("begins_with")} <Code>{token.hint}</Code>
        </Text>
      </Table.Th>
      {everybodys && <Table.Td style={{ overflowWrap: "anywhere" }}>{token.email}</Table.Td>}
      <Table.Td>{word("role", token.role)}</Table.Td>
      <Table.Td>
        <Reach token={token} />
      </Table.Td>
      <Table.Td>
        <Moment at={token.expires_at} /> <ExpiryBadge until={token.expires_at} />
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

/** What a token is held to, by its name. */
function Reach({ token }: { token: Token }) {
  const { t } = useTranslation("settings");
  const clusters = useQuery({ ...clustersOptions, enabled: token.cluster_id !== null });
  const experiments = useQuery({ ...experimentsOptions, enabled: token.experiment_id !== null });
  const named = (rows: readonly { id: string; name: string }[] | undefined, id: string) =>
    rows?.find((row) => row.id === id)?.name ?? id;
  if (token.cluster_id !== null) {
    return t("one_cluster", { name: named(clusters.data, token.cluster_id) });
  }
  if (token.experiment_id !== null) {
    return t("one_experiment", { name: named(experiments.data, token.experiment_id) });
  }
  return t(token.ci_trust_id === null ? "reaches_all" : "one_job");
}
