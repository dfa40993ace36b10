/**
 * Has every cell know its column's heading, which its style shows where the headings do not. What
 * chooses all rows is no name of a column.
 */
export function nameCells(table: HTMLTableElement) {
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((heading) =>
    heading.querySelector("input") ? "" : (heading.textContent?.trim() ?? ""),
  );
  for (const row of [...table.tBodies].flatMap(({ rows }) => [...rows])) {
    const cells = [...row.cells];
    const abouts = cells.filter(({ tagName }) => tagName === "TH").length;
    for (const [column, cell] of cells.entries()) {
      const name = cell.colSpan > 1 ? "" : (names[column] ?? "");
      const named = cell.tagName === "TD" || abouts > 1;
      if (named && name !== "") cell.dataset.column = name;
      else delete cell.dataset.column;
    }
  }
}
