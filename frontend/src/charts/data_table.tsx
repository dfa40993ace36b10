import { Box, Button, Group, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "~/quantities/format";
import { cellText } from "./exports/cells";
import type { ChartTable } from "./types";

/** More rows than this at once are of no use to a reader and slow for a browser. */
const PAGE = 50;

/** A table by pages; scrolls sideways inside itself. */
export function DataTable({ caption, table }: { caption: string; table: ChartTable }) {
  const { t } = useTranslation("charts");
  const [asked, setAsked] = useState(0);
  const pages = Math.max(1, Math.ceil(table.rows.length / PAGE));
  const page = Math.min(asked, pages - 1);
  const first = page * PAGE;
  const rows = table.rows.slice(first, first + PAGE);
  return (
    <>
      <Box component="section" tabIndex={0} aria-label={caption} style={{ overflowX: "auto" }}>
        <Table striped fz="sm" style={{ overflowWrap: "normal" }}>
          <caption className="visually-hidden">{caption}</caption>
          <Table.Thead>
            <Table.Tr>
              {table.columns.map(({ label }) => (
                <Table.Th key={label} scope="col">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((cells, index) => (
              <Table.Tr key={`row-${first + index}`}>
                {table.columns.map(({ label, unit }, column) => (
                  <Table.Td
                    key={label}
                    ta={typeof cells[column] === "number" ? "right" : undefined}
                    style={{ whiteSpace: typeof cells[column] === "number" ? "nowrap" : undefined }}
                  >
                    {cellText(cells[column] ?? null, unit)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      {pages > 1 && (
        <Group gap="xs" mt="xs">
          <Button
            size="xs"
            variant="default"
            disabled={page === 0}
            onClick={() => setAsked(page - 1)}
          >
            {t("previous")}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={page === pages - 1}
            onClick={() => setAsked(page + 1)}
          >
            {t("next")}
          </Button>
          <Text size="sm" c="dimmed" aria-live="polite">
            {t("rows_shown", {
              first: formatNumber(first + 1, true),
              last: formatNumber(first + rows.length, true),
              all: formatNumber(table.rows.length, true),
            })}
          </Text>
        </Group>
      )}
    </>
  );
}
