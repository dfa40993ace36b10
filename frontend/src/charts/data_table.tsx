import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { CELL, NUMBER_CELL } from "./cell_style";
import { cellText } from "./exports/cells";
import { Pager, usePages } from "./pages";
import type { ChartTable } from "./types";

/** A table by pages; scrolls sideways inside itself. */
export function DataTable({ caption, table }: { caption: string; table: ChartTable }) {
  const pages = usePages(table.rows);
  return (
    <>
      <WideTable caption={caption} captionHidden minWidth={80 * table.columns.length}>
        <Table.Thead>
          <Table.Tr>
            {table.columns.map(({ label }, column) => (
              <Table.Th key={label} scope="col" ta={isNumeric(table, column) ? "right" : undefined}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pages.shown.map((cells, index) => (
            <tr key={`row-${pages.first + index}`}>
              {table.columns.map(({ label, unit }, column) => (
                <td key={label} style={typeof cells[column] === "number" ? NUMBER_CELL : CELL}>
                  {cellText(cells[column] ?? null, unit)}
                </td>
              ))}
            </tr>
          ))}
        </Table.Tbody>
      </WideTable>
      <Pager pages={pages} />
    </>
  );
}

const isNumeric = (table: ChartTable, column: number) =>
  table.rows.some((cells) => typeof cells[column] === "number");
