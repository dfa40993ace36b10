import { Group, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Table } from "~/ui/table";
import type { ListSearch } from "./list_search";

const ORDERS = {
  name: { ascending: "name", descending: "name_reversed" },
  time: { ascending: "oldest", descending: "newest" },
} as const;

/** The heading of a column that the list is ordered by when it is pressed, one way or the other. */
export function SortHeader({
  by,
  search,
  onChange,
  children,
}: {
  by: keyof typeof ORDERS;
  search: Pick<ListSearch, "sort">;
  onChange: (change: Pick<ListSearch, "sort" | "pages">) => void;
  children: ReactNode;
}) {
  const { ascending, descending } = ORDERS[by];
  const sort = search.sort ?? "newest";
  const way = sort === ascending ? "ascending" : sort === descending ? "descending" : "none";
  // Names are read from the start, moments from the end.
  const first = by === "name" ? ascending : descending;
  const other = first === ascending ? descending : ascending;
  const next = sort === first ? other : first;
  const Icon = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }[way];
  return (
    <Table.Th scope="col" aria-sort={way}>
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        onClick={() => onChange({ sort: next === "newest" ? undefined : next, pages: undefined })}
      >
        <Group gap={4} wrap="nowrap">
          {children}
          <Icon size={14} aria-hidden opacity={way === "none" ? 0.5 : 1} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}
