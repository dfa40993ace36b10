import { Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { ListTableProps } from "~/list_tools/list";
import { ListHead } from "~/list_tools/list_head";
import { ListRow } from "~/list_tools/list_row";
import { SortHeader } from "~/list_tools/sort_header";
import type { SavedComparison } from "~/queries/comparisons";
import { GateBadge } from "~/ui/badges";
import { useComparisonText } from "~/ui/comparison_text";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { KEPT, Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Comparisons with whether their sides may be compared, and which of them are chosen. */
export function ComparisonTable(list: ListTableProps<SavedComparison>) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  const told = useComparisonText();
  return (
    <WideTable caption={t("list_title")} captionHidden minWidth={720} stacked dense>
      <ListHead {...list} name={t("comparison")}>
        <Table.Th>{t("kind")}</Table.Th>
        <Table.Th className={KEPT}>{t("comparable")}</Table.Th>
        <SortHeader by="time" search={list.search} onChange={list.onChange}>
          {t("made")}
        </SortHeader>
      </ListHead>
      <Table.Tbody>
        {list.items.map(({ id, kind, gates, created_at, ...sides }) => (
          <ListRow key={id} {...list} id={id} name={told(sides)}>
            <Table.Th scope="row" fw={400} maw={460}>
              <AnchorLink
                to="/compare/$comparisonId"
                params={{ comparisonId: id }}
                inherit
                fw={600}
                title={told(sides)}
              >
                {told(sides)}
              </AnchorLink>
            </Table.Th>
            <Table.Td>{word("kind", kind)}</Table.Td>
            <Table.Td className={KEPT}>
              <Group gap={4}>
                {[...new Set(gates)].map((gate) => (
                  <GateBadge key={gate} verdict={gate} />
                ))}
              </Group>
            </Table.Td>
            <Table.Td>
              <Moment at={created_at} />
            </Table.Td>
          </ListRow>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
