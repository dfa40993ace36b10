import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Loaded } from "~/ui/loaded";
import type { List } from "./list";
import { ListFoot } from "./list_foot";
import { NoneMatch } from "./none_match";

/** A list in its page: its table and how much of it is shown, or why there is nothing to show. */
export function Listing<Item>({
  list,
  empty,
  toAll,
  children,
}: {
  list: List<Item>;
  /** Where there is nothing at all. */
  empty: ReactNode;
  /** What the link to all of it says, where it was narrowed to nothing. */
  toAll?: string;
  /** Its table. */
  children: ReactNode;
}) {
  const { query, items, bare, search, onChange } = list;
  return (
    <Loaded query={query}>
      {() =>
        bare ? (
          empty
        ) : items.length === 0 ? (
          <NoneMatch toAll={toAll} />
        ) : (
          <Stack gap="sm">
            {children}
            <ListFoot query={query} pages={search.pages} onPages={(pages) => onChange({ pages })} />
          </Stack>
        )
      }
    </Loaded>
  );
}
