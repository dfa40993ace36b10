import { Box, Table } from "@mantine/core";
import { cellText } from "./exports/cells";
import { Pager, usePages } from "./pages";
import type { ChartTable } from "./types";

/** A table by pages; scrolls sideways inside itself. */
export function DataTable({ caption, table }: { caption: string; table: ChartTable }) {
  const pages = usePages(table.rows);
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
            {pages.shown.map((cells, index) => (
              <Table.Tr key={`row-${pages.first + index}`}>
                {table.columns.map(({ label, unit }, column) => (
                  <Table.Td
                    key={label}
                    style={typeof cells[column] === "number" ? NUMBER : undefined}
                  >
                    {cellText(cells[column] ?? null, unit)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <Pager pages={pages} />
    </>
  );
}

const NUMBER = { whiteSpace: "nowrap", textAlign: "right" } as const;
