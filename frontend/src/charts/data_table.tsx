import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { CELL, NUMBER_CELL } from "./cell_style";
import { rowTexts } from "./exports/cells";
import { Pager, usePages } from "./pages";
import type { ChartTable } from "./types";

/** A table by pages; scrolls sideways inside itself. */
export function DataTable({ caption, table }: { caption: string; table: ChartTable }) {
  const pages = usePages(table.rows);
  const numeric = table.columns.map((_, column) => isNumeric(table, column));
  return (
    <>
      <WideTable caption={caption} captionHidden minWidth={80 * table.columns.length}>
        <Table.Head
          columns={table.columns.map(({ label }, column) => ({
            label,
            ta: numeric[column] ? "right" : undefined,
          }))}
        />
        <Table.Tbody>
          {pages.shown.map((cells, index) => {
            const texts = rowTexts(table, cells);
            return (
              <tr key={`row-${pages.first + index}`}>
                {table.columns.map(({ label }, column) => (
                  <td key={label} style={numeric[column] ? NUMBER_CELL : CELL}>
                    {texts[column]}
                  </td>
                ))}
              </tr>
            );
          })}
        </Table.Tbody>
      </WideTable>
      <Pager pages={pages} />
    </>
  );
}

const isNumeric = (table: ChartTable, column: number) =>
  table.rows.some((cells) => typeof cells[column] === "number");
