import { Checkbox, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ChooseAll, withOrWithout } from "~/finding/choose_all";
import { useWords } from "~/i18n/words";
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
}: {
  comparisons: readonly SavedComparison[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}) {
  const { t } = useTranslation(["comparisons", "finding"]);
  const word = useWords();
  const told = useComparisonText();
  const ids = comparisons.map(({ id }) => id);
  return (
    <WideTable caption={t("list_title")} captionHidden minWidth={640} stacked>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={40}>
            <ChooseAll shown={ids} chosen={chosen} onChoose={onChoose} />
          </Table.Th>
          <Table.Th>{t("comparison")}</Table.Th>
          <Table.Th className={KEPT}>{t("comparable")}</Table.Th>
          <Table.Th>{t("made")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {comparisons.map(({ id, name, kind, gates, created_at, ...sides }) => (
          <Table.Tr key={id} mod={{ chosen: chosen.includes(id) }}>
            <Table.Td>
              <Checkbox
                checked={chosen.includes(id)}
                onChange={(event) =>
                  onChoose(withOrWithout(chosen, id, event.currentTarget.checked))
                }
                aria-label={t("finding:choose", { name })}
              />
            </Table.Td>
            <Table.Th scope="row" fw={400} maw={420}>
              <AnchorLink to="/compare/$comparisonId" params={{ comparisonId: id }} fw={600}>
                {told(sides)}
              </AnchorLink>
              <Text size="sm" c="dimmed">
                {word("kind", kind)}
              </Text>
            </Table.Th>
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
