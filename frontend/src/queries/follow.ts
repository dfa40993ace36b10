/** A list that only grows, read so far: its items, and where its last page began. */
export interface Followed<Item> {
  items: Item[];
  /** The cursor of the last page; undefined if that is the first one. */
  cursor: string | undefined;
  /** How many items came before the last page. */
  before: number;
}

interface ListPage<Item> {
  items: Item[];
  next_cursor: string | null;
}

/**
 * Reads what a growing list has gained: its last page again, and those that follow. A long log or
 * a long run is so read once, however often it is asked for.
 */
export async function follow<Item>(
  previous: Followed<Item> | undefined,
  fetchPage: (cursor: string | undefined) => Promise<ListPage<Item>>,
): Promise<Followed<Item>> {
  const items = previous?.items.slice(0, previous.before) ?? [];
  let cursor = previous?.cursor;
  for (;;) {
    const before = items.length;
    const page = await fetchPage(cursor);
    items.push(...page.items);
    if (page.next_cursor === null) return { items, cursor, before };
    cursor = page.next_cursor;
  }
}
