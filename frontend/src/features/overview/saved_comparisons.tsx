import { List, Text } from "@mantine/core";
import { useWords } from "~/i18n/words";
import type { SavedComparison } from "~/queries/comparisons";
import { GateBadge } from "~/ui/badges";
import { useComparisonText } from "~/ui/comparison_text";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";

/** The comparisons that were made last, each with whether its sides may be compared. */
export function SavedComparisons({ comparisons }: { comparisons: SavedComparison[] }) {
  const word = useWords();
  const told = useComparisonText();
  return (
    <List listStyleType="none" withPadding={false} spacing="xs" size="sm">
      {comparisons.map(({ id, kind, gates, created_at, ...sides }) => (
        <List.Item key={id}>
          <AnchorLink to="/compare/$comparisonId" params={{ comparisonId: id }} inherit>
            {told(sides)}
          </AnchorLink>{" "}
          {[...new Set(gates)].map((gate) => (
            <GateBadge key={gate} verdict={gate} />
          ))}
          <Text size="xs" c="dimmed">
            {word("kind", kind)} · <Moment at={created_at} />
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
