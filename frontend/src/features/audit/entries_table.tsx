import { Badge, Code, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords, type WordGroup } from "~/i18n/words";
import type { AuditEntry } from "~/queries/audit";
import { Moment } from "~/ui/moment";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Entries of the audit log: who did what to what, from where. */
export function EntriesTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation("audit");
  return (
    <WideTable caption={t("title")} captionHidden minWidth={960} stacked>
      <Table.Head columns={[t("when"), t("who"), t("what"), t("to_what"), t("where_from")]} />
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
  const details = useDetails()(entry.details);
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
        {details.length > 0 && <Small>{details.join(" · ")}</Small>}
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

/** Which words the values of a detail are. */
const VALUES: Record<string, WordGroup> = {
  before: "role",
  changed: "audited_field",
  keep: "keep",
  of: "audited_object",
  role: "role",
};

/** What is known of an act in addition to what it was done to; what holds nothing is left out. */
function useDetails(): (details: AuditEntry["details"]) => string[] {
  const { t } = useTranslation("audit");
  const word = useWords();
  const told = (name: string, value: unknown): string => {
    if (Array.isArray(value)) return value.map((one) => told(name, one)).join(t("and"));
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    const group = VALUES[name];
    return group === undefined ? String(value) : word(group, String(value));
  };
  return (details) =>
    Object.entries(details)
      .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
      .map(([name, value]) =>
        t("detail", { name: word("audited_detail", name), value: told(name, value) }),
      );
}
