import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { formatDuration, formatQuantity } from "~/quantities/format";
import { type Fact, Facts } from "~/ui/facts";
import { Section } from "~/ui/section";
import { figureText } from "../figure_text";

/** What Podmeter itself took of the run's time. */
export const OverheadFacts = memo(function OverheadFacts({
  overhead,
}: {
  overhead: Schemas["Overhead"];
}) {
  const { t } = useTranslation("charts");
  const { median, maximum, n } = overhead;
  const facts: Fact[] = [
    { term: t("overhead.median", { n }), value: median && figureText(median, "s") },
    { term: t("overhead.maximum"), value: maximum === null ? null : formatQuantity(maximum, "s") },
    ...(["switching", "preparing", "cleaning"] as const).map((what) => {
      const seconds = overhead[what];
      return {
        term: t(`overhead.${what}`),
        value: seconds === null ? null : formatDuration(seconds),
      };
    }),
  ];
  const known = facts.filter(({ value }) => value !== null);
  if (known.length === 0) return null;
  return (
    <Section title={t("overhead.title")}>
      <Facts facts={known} columns={5} />
    </Section>
  );
});
