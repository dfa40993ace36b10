import { Text } from "@mantine/core";
import { IconFlask, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { KindSelect } from "~/list_tools/kind_select";
import { type ListTableProps, listOf } from "~/list_tools/list";
import { ListFilters } from "~/list_tools/list_filters";
import { ListHead } from "~/list_tools/list_head";
import { ListRow } from "~/list_tools/list_row";
import { listQuery } from "~/list_tools/list_search";
import { Listing } from "~/list_tools/listing";
import { MarkedName } from "~/list_tools/marked_name";
import { useKnownKind } from "~/list_tools/use_known_kind";
import { useMe } from "~/queries/accounts";
import { experimentPagesOptions, type ListedExperiment } from "~/queries/experiments";
import { newestRunsOptions, type Run } from "~/queries/runs";
import { RunBadge } from "~/ui/badges";
import { EmptyState } from "~/ui/empty_state";
import { AnchorLink, ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Page } from "~/ui/page";
import { KEPT, Table } from "~/ui/table";
import { useSearchState } from "~/ui/use_search_state";
import { WideTable } from "~/ui/wide_table";
import { axesInShort } from "./axes_in_short";
import { ChosenBar } from "./chosen_bar";
import classes from "./experiments.module.css";
import { TemplateGallery } from "./template_gallery";

/** `/experiments`: every experiment, and what can be done with several. */
export function ExperimentsPage() {
  const { t } = useTranslation(["experiments", "common"]);
  const [said, change] = useSearchState("/inside/experiments");
  const me = useMe();
  const { kinds, names, kind, settled } = useKnownKind(said.kind);
  const search = { ...said, kind };
  const query = useInfiniteQuery({
    ...experimentPagesOptions({ ...listQuery(search), kind }),
    enabled: settled,
  });
  const list = listOf(query, search, change);
  return (
    <Page
      title={t("common:experiments")}
      ready={!query.isPending && !(list.bare && kinds.isPending)}
      actions={
        me.may("operator") && (
          <ButtonLink to="/experiments/new" leftSection={<IconPlus size={16} />}>
            {t("new_experiment")}
          </ButtonLink>
        )
      }
    >
      {!list.bare && (
        <ListFilters search={search} onChange={change}>
          <KindSelect label={t("kind")} kinds={names} kind={kind} onChange={change} />
        </ListFilters>
      )}
      <Listing
        list={list}
        empty={
          <>
            <EmptyState icon={<IconFlask size={40} />} title={t("none_yet")}>
              {t("none_yet_text")}
            </EmptyState>
            <Loaded query={kinds}>{(offered) => <TemplateGallery kinds={offered} />}</Loaded>
          </>
        }
      >
        <ExperimentTable {...list} />
      </Listing>
      <ChosenBar list={list} kinds={kinds.data ?? []} />
    </Page>
  );
}

function ExperimentTable(list: ListTableProps<ListedExperiment>) {
  const { t } = useTranslation(["experiments", "common"]);
  const word = useWords();
  const latest = useQuery(newestRunsOptions({ limit: 200 }));
  const last = new Map<string, Run>();
  for (const run of latest.data?.runs ?? []) {
    if (run.experiment_id && !last.has(run.experiment_id)) last.set(run.experiment_id, run);
  }
  const otherwise = latest.data && t(latest.data.complete ? "never_ran" : "not_lately");
  return (
    <WideTable caption={t("common:experiments")} captionHidden minWidth={860} stacked dense>
      <ListHead {...list} name={t("name")}>
        {(["kind", "axes", "updated", "last_run"] as const).map((column) => (
          <Table.Th key={column} scope="col" className={column === "last_run" ? KEPT : undefined}>
            {t(column)}
          </Table.Th>
        ))}
      </ListHead>
      <Table.Tbody>
        {list.items.map((experiment) => {
          const run = last.get(experiment.id);
          return (
            <ListRow key={experiment.id} {...list} id={experiment.id} name={experiment.name}>
              <Table.Th scope="row" fw={400} miw={200} maw={320}>
                <MarkedName thing="experiment" of={experiment}>
                  <AnchorLink
                    to="/experiments/$experimentId"
                    params={{ experimentId: experiment.id }}
                    inherit
                    fw={600}
                    title={experiment.name}
                  >
                    {experiment.name}
                  </AnchorLink>
                </MarkedName>
              </Table.Th>
              <Table.Td className={classes.line}>{word("kind", experiment.kind)}</Table.Td>
              <Table.Td maw={280}>
                <Text size="sm" c="dimmed" truncate>
                  {experiment.spec === null
                    ? t("spec_unreadable")
                    : axesInShort(experiment.spec.axes ?? {}, word, (count) =>
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
            </ListRow>
          );
        })}
      </Table.Tbody>
    </WideTable>
  );
}
