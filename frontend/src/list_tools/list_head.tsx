import type { ReactNode } from "react";
import { Table } from "~/ui/table";
import { ChooseAll } from "./choose_all";
import type { ListTableProps } from "./list";
import { SortHeader } from "./sort_header";

/** The headings of a list's table: that of the names, and the other columns' as `children`. */
export function ListHead({
  items,
  chosen,
  onChoose,
  search,
  onChange,
  name,
  children,
}: ListTableProps<{ id: string }> & { name: string; children: ReactNode }) {
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th w={40}>
          <ChooseAll shown={items.map(({ id }) => id)} chosen={chosen} onChoose={onChoose} />
        </Table.Th>
        <SortHeader by="name" search={search} onChange={onChange}>
          {name}
        </SortHeader>
        {children}
      </Table.Tr>
    </Table.Thead>
  );
}
