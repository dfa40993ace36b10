import { Badge, Code, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { AuditEntry } from "~/queries/audit";
import { Moment } from "~/ui/moment";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Entries of the audit log: who did what to what, from where. */
export function EntriesTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation("audit");
  return (
    <WideTable caption={t("title")} captionHidden minWidth={960} stacked>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t("when")}</Table.Th>
          <Table.Th scope="col">{t("who")}</Table.Th>
          <Table.Th scope="col">{t("what")}</Table.Th>
          <Table.Th scope="col">{t("to_what")}</Table.Th>
          <Table.Th scope="col">{t("where_from")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation("audit");
  const word = useWords();
  const details = Object.entries(entry.details);
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <Moment at={entry.created_at} />
      </Table.Td>
      <Table.Th scope="row" fw={400} style={{ overflowWrap: "anywhere" }}>
        {entry.who || t("nobody_known")}
        <Small>
          {entry.token_name === null
            ? word("via", entry.via)
            : t("by_token", { name: entry.token_name })}
        </Small>
      </Table.Th>
      <Table.Td>
        {word("audited_operation", entry.operation)}{" "}
        {entry.refused && (
          <Badge color="red" variant="light" tt="none" miw="max-content">
            {t("refused")}
          </Badge>
        )}
        {details.length > 0 && (
          <Small>{details.map(([name, value]) => `${name}: ${plain(value)}`).join(" · ")}</Small>
        )}
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {entry.object_kind !== null && (
          <>
            {word("audited_object", entry.object_kind)} {entry.object_name}
            <Small>{entry.object_id}</Small>
          </>
        )}
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {entry.address ?? t("this_machine")}
        {entry.request_id !== null && (
          <Small>
            <Code fz={11} style={{ whiteSpace: "nowrap" }}>
              {entry.request_id}
            </Code>
          </Small>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const Small = ({ children }: { children: React.ReactNode }) => (
  <Text component="span" display="block" size="xs" c="dimmed">
    {children}
  </Text>
);

const plain = (value: unknown) =>
  Array.isArray(value) ? value.join(", ") : value === null ? "–" : String(value);
