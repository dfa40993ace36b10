import { Text } from "@mantine/core";
import { IconFlask, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { useMe } from "~/queries/accounts";
import { type Experiment, experimentsOptions } from "~/queries/experiments";
import { kindsOptions } from "~/queries/kinds";
import { newestRunsOptions, type Run } from "~/queries/runs";
import { RunBadge } from "~/ui/badges";
import { EmptyState } from "~/ui/empty_state";
import { AnchorLink, ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Page } from "~/ui/page";
import { KEPT, Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { axesInShort } from "./axes_in_short";
import classes from "./experiments.module.css";
import { TemplateGallery } from "./template_gallery";

/** All experiments, newest first. */
export function ExperimentsPage() {
  const { t } = useTranslation(["experiments", "common"]);
  const me = useMe();
  const experiments = useQuery(experimentsOptions);
  const none = experiments.data?.length === 0;
  const kinds = useQuery({ ...kindsOptions, enabled: none });
  return (
    <Page
      title={t("common:experiments")}
      ready={!experiments.isPending && !(none && kinds.isPending)}
      actions={
        me.may("operator") && (
          <ButtonLink to="/experiments/new" leftSection={<IconPlus size={16} />}>
            {t("new_experiment")}
          </ButtonLink>
        )
      }
    >
      <Loaded query={experiments}>
        {(all) =>
          all.length > 0 ? (
            <ExperimentTable experiments={all} />
          ) : (
            <>
              <EmptyState icon={<IconFlask size={40} />} title={t("none_yet")}>
                {t("none_yet_text")}
              </EmptyState>
              <Loaded query={kinds}>{(offered) => <TemplateGallery kinds={offered} />}</Loaded>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function ExperimentTable({ experiments }: { experiments: Experiment[] }) {
  const { t } = useTranslation(["experiments", "common"]);
  const word = useWords();
  const latest = useQuery(newestRunsOptions({ limit: 200 }));
  const last = new Map<string, Run>();
  for (const run of latest.data?.runs ?? []) {
    if (run.experiment_id && !last.has(run.experiment_id)) last.set(run.experiment_id, run);
  }
  const otherwise = latest.data && t(latest.data.complete ? "never_ran" : "not_lately");
  return (
    <WideTable caption={t("common:experiments")} captionHidden minWidth={860}>
      <Table.Thead>
        <Table.Tr>
          {(["name", "kind", "axes", "updated", "last_run"] as const).map((column) => (
            <Table.Th key={column} scope="col" className={column === "last_run" ? KEPT : undefined}>
              {t(column)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {experiments.map((experiment) => {
          const run = last.get(experiment.id);
          return (
            <Table.Tr key={experiment.id}>
              <Table.Th scope="row" fw={400} miw={200} maw={320}>
                <AnchorLink
                  to="/experiments/$experimentId"
                  params={{ experimentId: experiment.id }}
                  fw={600}
                >
                  {experiment.name}
                </AnchorLink>
              </Table.Th>
              <Table.Td className={classes.line}>{word("kind", experiment.kind)}</Table.Td>
              <Table.Td>
                <Text size="sm" c="dimmed">
                  {axesInShort(experiment.spec.axes ?? {}, word, (count) =>
                    t("values", { count }),
                  ) || t("kind_defaults")}
                </Text>
              </Table.Td>
              <Table.Td className={classes.line}>
                <Moment at={experiment.updated_at} />
              </Table.Td>
              <Table.Td className={`${classes.line} ${KEPT}`}>
                {run ? (
                  <AnchorLink to="/runs/$runId" params={{ runId: run.id }}>
                    <RunBadge run={run} />
                  </AnchorLink>
                ) : (
                  <Text size="sm" c="dimmed">
                    {otherwise}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </WideTable>
  );
}
