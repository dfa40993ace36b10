import { Anchor, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { formatQuantity } from "~/quantities/format";
import type { PublishedCell, PublishedTable, ReferenceDocument } from "~/queries/references";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Every table as it was printed; what a figure is in base units stands in its title. */
export function PublishedTables({ reference }: { reference: ReferenceDocument }) {
  return (
    <Stack gap="lg">
      {reference.tables.map((table) => (
        <OneTable key={table.id} table={table} language={reference.language} />
      ))}
    </Stack>
  );
}

function OneTable({ table, language }: { table: PublishedTable; language: string }) {
  const { t } = useTranslation("references");
  const headed = table.rows.some(({ printed }) => printed !== "");
  return (
    <div>
      <Title order={3} size="h5">
        {table.title}
      </Title>
      <WideTable
        caption={[t("where", { where: table.where }), table.restates && t("restates")]
          .filter(Boolean)
          .join(" ")}
        minWidth={90 * (table.columns.length + 1)}
      >
        <Table.Head
          columns={[
            headed && t("row"),
            ...table.columns.map(({ printed }) => ({
              label: printed || table.title,
              lang: language,
            })),
          ]}
        />
        <Table.Tbody>
          {table.rows.map((row) => (
            <Table.Tr key={row.id}>
              {headed && (
                <Table.Th scope="row" fw={400} ta="left" lang={language}>
                  {row.printed}
                </Table.Th>
              )}
              {row.cells.map((cell, index) => (
                <Table.Td key={table.columns[index]?.id ?? index} lang={language}>
                  <Printed cell={cell} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </div>
  );
}

/** A cell as printed, with the numbers of the doubts about it. */
function Printed({ cell }: { cell: PublishedCell }) {
  const { t } = useTranslation("references");
  if (cell.quote == null) return null;
  const value = cell.value == null ? undefined : formatQuantity(cell.value, cell.unit as Unit);
  return (
    <>
      <span title={value && t("quote_is", { quote: cell.quote, value })}>{cell.quote}</span>
      {cell.doubts.map((doubt) => (
        // No space before it: it belongs to the figure, and is on its line.
        <Text key={doubt} span component="sup" size="xs" ms={2}>
          <Anchor
            href={`#doubt-${doubt + 1}`}
            aria-label={t("doubt", { number: doubt + 1 })}
            inherit
            underline="always"
          >
            {doubt + 1}
          </Anchor>
        </Text>
      ))}
    </>
  );
}
