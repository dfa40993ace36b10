import { List, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { SavedComparison } from "~/queries/comparisons";
import { GateBadge } from "~/ui/badges";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { usePointText } from "~/ui/point_text";

type Side = SavedComparison["baseline"];

/** The comparisons that were made last, each with whether its sides may be compared. */
export function SavedComparisons({ comparisons }: { comparisons: SavedComparison[] }) {
  const { t } = useTranslation("overview");
  const word = useWords();
  const pointText = usePointText();
  const sideText = ({ name, where }: Side) => {
    const part = pointText(where);
    return part === "" ? name : `${name}: ${part}`;
  };
  const told = (baseline: Side, contenders: Side[]) => {
    const sides = [baseline, ...contenders];
    const ofOne = sides.every(
      ({ name, where }) => name === baseline.name && pointText(where) !== "",
    );
    const text = ({ where, ...side }: Side) =>
      ofOne ? pointText(where) : sideText({ where, ...side });
    return t(ofOne ? "against_of" : "against", {
      name: baseline.name,
      contenders: contenders.map(text).join(", "),
      baseline: text(baseline),
    });
  };
  return (
    <List listStyleType="none" withPadding={false} spacing="xs" size="sm">
      {comparisons.map(({ id, kind, baseline, contenders, gates, created_at }) => (
        <List.Item key={id}>
          <AnchorLink to="/compare/$comparisonId" params={{ comparisonId: id }} inherit>
            {told(baseline, contenders)}
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
