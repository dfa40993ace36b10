import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFieldText } from "~/ui/field_text";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** How wide a column is, so that one table is like the next. */
const SHARE: Record<number, string> = { 2: "50%", 3: "33.3%" };

/** Fields of fingerprints, one a row; null is a field that one of them does not have. */
export function FieldsTable({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: string[];
  rows: { field: string; under: string; values: (string | null)[] }[];
}) {
  const { t } = useTranslation("clusters");
  const fieldText = useFieldText();
  return (
    <WideTable caption={caption} minWidth={560} stacked>
      <Table.Head columns={columns.map((label) => ({ label, w: SHARE[columns.length] }))} />
      <Table.Tbody>
        {rows.map(({ field, under, values }) => (
          <Table.Tr key={field + under + values.join()}>
            <Table.Th scope="row" fw={400} style={{ verticalAlign: "top" }}>
              {fieldText(field)}
              {under !== "" && (
                <Text size="xs" c="dimmed">
                  {under}
                </Text>
              )}
            </Table.Th>
            {values.map((value, index) => (
              <Table.Td
                key={columns[index + 1]}
                ff="monospace"
                style={{ verticalAlign: "top", overflowWrap: "anywhere" }}
              >
                {value ?? (
                  <Text span inherit c="dimmed" ff="text">
                    {t("not_there")}
                  </Text>
                )}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
