import { Alert, List, Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useBoth } from "~/i18n/both";
import { bracketed, labelled } from "~/i18n/marks";
import { useWords } from "~/i18n/words";
import { type Reproduction, reproductionOptions } from "~/queries/references";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { Section } from "~/ui/section";
import { BesideTables } from "./beside_tables";
import { OurClaimsTable } from "./our_claims_table";
import { asked } from "./search";

/** `/references/reproduced`: each article's tables with ours beside them, its claims of our figures. */
export function ReproducedPage() {
  const { t } = useTranslation("references");
  const { of } = useSearch({ from: "/inside/references/reproduced" });
  const articles = asked(of ?? "");
  const found = useQueries({
    queries: articles.map(({ reference, runs }) => reproductionOptions(reference, runs)),
  });
  return (
    <Page
      title={t("reproduced_title")}
      subtitle={<Text c="dimmed">{t("reproduced_subtitle")}</Text>}
      ready={found.every((one) => !one.isPending)}
    >
      <Stack gap="xl">
        {found.map((query, index) => (
          <Loaded key={articles[index]?.reference} query={query} lines={8}>
            {(one) => <Reproduced found={one} />}
          </Loaded>
        ))}
        {articles.length === 0 && <Text>{t("reproduced_nothing")}</Text>}
      </Stack>
    </Page>
  );
}

function Reproduced({ found }: { found: Reproduction }) {
  const { t } = useTranslation(["references", "common"]);
  const both = useBoth();
  const word = useWords();
  const missing = found.tables.filter(({ measured }) => measured === 0);
  return (
    <Section title={both(found.subject)}>
      <Stack gap="md">
        <Text size="sm">
          <AnchorLink
            to="/references/$referenceId"
            params={{ referenceId: found.reference_id }}
            inherit
            underline="always"
          >
            <span lang={found.language}>{found.title}</span>
          </AnchorLink>
          {` · ${labelled(t("reproduced_runs"), "")}`}
          {found.runs.map((run, index) => (
            <span key={run.run_id}>
              {index > 0 && t("common:list_separator")}
              <AnchorLink
                to="/runs/$runId"
                params={{ runId: run.run_id }}
                inherit
                underline="always"
              >
                {run.name}
              </AnchorLink>
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
                  {bracketed(both(table.title), table.where)}
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
