import { Alert, List, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { bracketed, labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { Section } from "~/ui/section";
import { BesideTables } from "./beside_tables";
import { OurClaimsTable } from "./our_claims_table";

/** An article beside runs of its experiments: what came of its claims, its tables with ours. */
export function ReproducedArticle({
  found,
  cited,
  runs,
}: {
  found: Schemas["Reproduction"];
  /** The article and the runs as the page names them. */
  cited: ReactNode;
  runs: readonly ReactNode[];
}) {
  const { t } = useTranslation(["reproduction", "common"]);
  const word = useWords();
  const missing = found.tables.filter(({ measured }) => measured === 0);
  return (
    <Section title={found.subject.text}>
      <Stack gap="md">
        <Text size="sm" component="div">
          {cited}
          {` · ${labelled(t("runs"), "")}`}
          {runs.map((run, index) => (
            <span key={found.runs[index]?.run_id}>
              {index > 0 && t("common:list_separator")}
              {run}
            </span>
          ))}
        </Text>
        {found.stand_ins.map((one) => (
          <Alert key={`${one.axis} ${one.published}`} role="note" color="blue">
            {t("stand_in", {
              measured: word("axis_value", one.measured),
              published: word("axis_value", one.published),
            })}
          </Alert>
        ))}
        {found.runs.some((run) => run.shared_host) && (
          <Alert role="note" color="orange">
            {t("one_machine")}
          </Alert>
        )}
        <OurClaimsTable found={found} />
        <BesideTables found={found} />
        {missing.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              {t("not_reproduced")}
            </Text>
            <List size="sm">
              {missing.map((table) => (
                <List.Item key={table.id}>
                  {bracketed(table.title.text, table.where)}
                  {table.why_not && labelled("", word("why_not_told", table.why_not))}
                </List.Item>
              ))}
            </List>
          </div>
        )}
      </Stack>
    </Section>
  );
}
