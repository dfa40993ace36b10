import { memo } from "react";
import { useTranslation } from "react-i18next";
import { figureOf, numberOf, type Row } from "~/api/rows";
import { formatDuration, formatQuantity } from "~/quantities/format";
import { type Fact, Facts } from "~/ui/facts";
import { Section } from "~/ui/section";
import { figureText } from "../figure_text";

/** What Podmeter itself took of the run's time. */
export const OverheadFacts = memo(function OverheadFacts({
  overhead,
}: {
  overhead: readonly Row[];
}) {
  const { t } = useTranslation("charts");
  const rowOf = (code: string) => overhead.find((one) => one.code === code);
  const median = rowOf("median");
  const [figure, maximum] = [median && figureOf(median), median && numberOf(median, "maximum")];
  const facts: Fact[] = [
    {
      term: t("overhead.median", { n: median?.n }),
      value: figure ? figureText(figure, "s") : null,
    },
    { term: t("overhead.maximum"), value: maximum == null ? null : formatQuantity(maximum, "s") },
    ...(["switching", "preparing", "cleaning"] as const).map((what) => {
      const seconds = rowOf(what)?.value;
      return {
        term: t(`overhead.${what}`),
        value: seconds == null ? null : formatDuration(seconds),
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
