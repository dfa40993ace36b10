import { Button, Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { type CiTrust, useDeleteCiTrust } from "~/queries/ci";
import { experimentsOptions } from "~/queries/experiments";
import { Confirm, useConfirmed } from "~/ui/confirm";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { writeClaims } from "./claims";

/** Trusts, to look over, to use, to change and to delete. */
export function TrustsTable({
  trusts,
  onUse,
  onChange,
}: {
  trusts: readonly CiTrust[];
  onUse: (trust: CiTrust) => void;
  onChange: (trust: CiTrust) => void;
}) {
  const { t } = useTranslation("settings");
  const word = useWords();
  const experiments = useQuery(experimentsOptions);
  const deleting = useConfirmed(useDeleteCiTrust());
  const named = (id: string) => experiments.data?.find((row) => row.id === id)?.name ?? id;
  return (
    <>
      {trusts.length === 0 && <Text size="sm">{t("ci_none")}</Text>}
      {trusts.length > 0 && (
        <WideTable caption={t("ci_trusts")} captionHidden minWidth={800} stacked>
          <Table.Head
            columns={[t("name"), t("ci_claims"), t("ci_experiments"), t("role"), t("actions")]}
          />
          <Table.Tbody>
            {trusts.map((trust) => (
              <Table.Tr key={trust.id}>
                <Table.Th scope="row" fw={400} style={{ overflowWrap: "anywhere" }}>
                  {trust.name}
                  <Text size="xs" c="dimmed">
                    {trust.issuer}
                  </Text>
                </Table.Th>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  <Code style={{ whiteSpace: "pre-wrap" }}>{writeClaims(trust.claims)}</Code>
                  {trust.pull_requests && <Text size="xs">{t("ci_pull_requests")}</Text>}
                </Table.Td>
                <Table.Td>{trust.experiment_ids.map(named).join(", ")}</Table.Td>
                <Table.Td>{word("role", trust.role)}</Table.Td>
                <Table.Td>
                  <Group gap="xs">
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => onUse(trust)}
                      aria-label={t("ci_use_name", { name: trust.name })}
                    >
                      {t("ci_use")}
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => onChange(trust)}
                      aria-label={t("ci_change_name", { name: trust.name })}
                    >
                      {t("ci_change")}
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => deleting.ask(trust)}
                      aria-label={t("ci_delete_name", { name: trust.name })}
                    >
                      {t("ci_delete")}
                    </Button>
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      <Confirm
        {...deleting.dialog}
        title={t("ci_delete_name", { name: deleting.item?.name ?? "" })}
        text={t("ci_delete_text")}
        action={t("ci_delete")}
      />
    </>
  );
}
