import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "~/quantities/format";

/** More rows than this at once are of no use to a reader and slow for a browser. */
const PAGE = 50;

interface Pages<Row> {
  shown: readonly Row[];
  /** The place of the first row shown. */
  first: number;
  all: number;
  turn: ((by: -1 | 1) => void) | null;
}

/** The rows of one page; turning is null where there is a single one. */
export function usePages<Row>(rows: readonly Row[], size = PAGE): Pages<Row> {
  const [asked, setAsked] = useState(0);
  const last = Math.max(0, Math.ceil(rows.length / size) - 1);
  const page = Math.min(asked, last);
  return {
    shown: rows.slice(page * size, (page + 1) * size),
    first: page * size,
    all: rows.length,
    turn: last === 0 ? null : (by) => setAsked(page + by),
  };
}

/** Turns the pages of a table; nothing where there is a single one. */
export function Pager({ pages: { shown, first, all, turn } }: { pages: Pages<unknown> }) {
  const { t } = useTranslation("charts");
  if (turn === null) return null;
  const last = first + shown.length;
  return (
    <Group gap="xs" mt="xs">
      <Button size="xs" variant="default" disabled={first === 0} onClick={() => turn(-1)}>
        {t("previous")}
      </Button>
      <Button size="xs" variant="default" disabled={last === all} onClick={() => turn(1)}>
        {t("next")}
      </Button>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t("rows_shown", {
          first: formatNumber(first + 1, true),
          last: formatNumber(last, true),
          all: formatNumber(all, true),
        })}
      </Text>
    </Group>
  );
}
