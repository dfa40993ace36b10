import { Badge, Button, Group, List, Text } from "@mantine/core";
import { memo, useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { Section } from "~/ui/section";

type Finding = Schemas["Finding"];

/** What a reader should not have to look for comes first. */
const RANKS = [
  "not_comparable",
  "mtu_too_large",
  "crossover",
  "degrades_more",
  "mode_worse",
  "mode_better",
  "slowest_link",
  "slowest_links",
  "pair_effect",
  "mtu_differs",
  "loss",
  "gain",
  "loss_unknown",
  "curve_falls",
  "curve_rises",
  "mtu_unused",
  "mtu_same",
  "no_link_apart",
  "mode_same",
  "curve_flat",
  "curve_nearly_flat",
  "loss_same",
  "no_crossover",
  "curve_undecided",
  "loss_undecided",
  "loss_uncertain",
  "mode_undecided",
];
const UNCLEAR = RANKS.indexOf("no_crossover");
const COLORS: Record<string, string> = {
  not_comparable: "red",
  mtu_too_large: "red",
  mode_worse: "red",
  degrades_more: "red",
  mode_better: "green",
  mode_same: "blue",
  crossover: "grape",
  slowest_link: "orange",
  slowest_links: "orange",
  pair_effect: "orange",
  mtu_differs: "grape",
  loss: "orange",
  gain: "green",
  loss_same: "blue",
  curve_falls: "orange",
  curve_rises: "orange",
};
const FIRST = 5;
/** Where nothing is clear, so many are enough to say so. */
const FIRST_UNCLEAR = 2;

const rank = ({ code }: Finding) => (RANKS.includes(code) ? RANKS.indexOf(code) : RANKS.length);

/** The findings in their rank's order, and how many of them are shown before one asks. */
export function ranked(findings: readonly Finding[]): { findings: Finding[]; first: number } {
  const sorted = findings.toSorted((one, other) => rank(one) - rank(other));
  const clear = sorted.filter((one) => rank(one) < UNCLEAR).length;
  return { findings: sorted, first: clear > 0 ? Math.min(clear, FIRST) : FIRST_UNCLEAR };
}

/** What the run found by itself, with a sign of what kind each sentence is. */
export const Findings = memo(function Findings(props: { findings: Finding[] }) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const [all, setAll] = useState(false);
  const drawn = useDeferredValue(all);
  const { findings, first } = useMemo(() => ranked(props.findings), [props.findings]);
  if (findings.length === 0) return null;
  const shown = drawn ? findings : findings.slice(0, first);
  return (
    <Section title={t("findings")}>
      <List listStyleType="none" spacing={6}>
        {shown.map((finding) => (
          <List.Item key={`${finding.code} ${finding.text}`}>
            <Group gap="xs" align="baseline">
              <Badge
                variant="light"
                color={COLORS[finding.code] ?? "gray"}
                tt="none"
                miw="8rem"
                style={{ flexShrink: 0 }}
              >
                {word("finding", finding.code)}
              </Badge>
              <Text size="sm" style={{ flex: "1 1 20rem" }}>
                {finding.text}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
      {findings.length > first && (
        <Group mt="xs">
          <Button
            size="xs"
            variant="default"
            aria-expanded={all}
            onClick={() => setAll((before) => !before)}
          >
            {all ? t("fewer_findings") : t("all_findings", { count: findings.length })}
          </Button>
        </Group>
      )}
    </Section>
  );
});
