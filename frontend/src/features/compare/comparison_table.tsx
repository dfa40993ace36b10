import { Checkbox, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { ChooseAll, withOrWithout } from "~/list_tools/choose_all";
import type { ListSearch } from "~/list_tools/list_search";
import { SortHeader } from "~/list_tools/sort_header";
import type { SavedComparison } from "~/queries/comparisons";
import { GateBadge } from "~/ui/badges";
import { useComparisonText } from "~/ui/comparison_text";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { KEPT, Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Comparisons with whether their sides may be compared, and which of them are chosen. */
export function ComparisonTable({
  comparisons,
  chosen,
  onChoose,
  search,
  onSort,
}: {
  comparisons: readonly SavedComparison[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
  search: ListSearch;
  onSort: (change: ListSearch) => void;
}) {
  const { t } = useTranslation(["comparisons", "finding"]);
  const word = useWords();
  const told = useComparisonText();
  const ids = comparisons.map(({ id }) => id);
  return (
    <WideTable caption={t("list_title")} captionHidden minWidth={720} stacked dense>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={40}>
            <ChooseAll shown={ids} chosen={chosen} onChoose={onChoose} />
          </Table.Th>
          <SortHeader by="name" search={search} onChange={onSort}>
            {t("comparison")}
          </SortHeader>
          <Table.Th>{t("kind")}</Table.Th>
          <Table.Th className={KEPT}>{t("comparable")}</Table.Th>
          <SortHeader by="time" search={search} onChange={onSort}>
            {t("made")}
          </SortHeader>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {comparisons.map(({ id, kind, gates, created_at, ...sides }) => (
          <Table.Tr key={id} mod={{ chosen: chosen.includes(id) }}>
            <Table.Td>
              <Checkbox
                checked={chosen.includes(id)}
                onChange={(event) =>
                  onChoose(withOrWithout(chosen, id, event.currentTarget.checked))
                }
                aria-label={t("finding:choose", { name: told(sides) })}
              />
            </Table.Td>
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
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
