import type { ReactNode } from "react";
import { Table } from "~/ui/table";
import { ChooseOne } from "./choose_one";
import type { Choice } from "./list";

/** A row of a list's table: what chooses it, and the other cells as `children`. */
export function ListRow({
  id,
  name,
  chosen,
  onChoose,
  children,
}: Choice & { id: string; name: string; children: ReactNode }) {
  return (
    <Table.Tr mod={{ chosen: chosen.includes(id) }}>
      <Table.Td>
        <ChooseOne id={id} name={name} chosen={chosen} onChoose={onChoose} />
      </Table.Td>
      {children}
    </Table.Tr>
  );
}
