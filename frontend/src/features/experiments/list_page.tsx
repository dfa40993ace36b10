import { Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconFlask, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { ChooseAll, withOrWithout } from "~/list_tools/choose_all";
import { FavouriteButton } from "~/list_tools/favourite_button";
import { FilterSelect, ListFilters } from "~/list_tools/list_filters";
import { ListFoot } from "~/list_tools/list_foot";
import { isNarrowed, type ListSearch, listQuery } from "~/list_tools/list_search";
import { NoneMatch } from "~/list_tools/none_match";
import { SortHeader } from "~/list_tools/sort_header";
import { TagList } from "~/list_tools/tag_list";
import { useMe } from "~/queries/accounts";
import { experimentPagesOptions, type ListedExperiment } from "~/queries/experiments";
import { type Kind, kindsOptions } from "~/queries/kinds";
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
import { type ExperimentsSearch, readExperimentsSearch } from "./search";
import { TemplateGallery } from "./template_gallery";

/** `/experiments`: every experiment, and what can be done with several. */
export function ExperimentsPage() {
  const { t } = useTranslation(["experiments", "common", "finding"]);
  const [search, change] = useSearchState("/inside/experiments");
  const { chosen = [] } = search;
  const me = useMe();
  const kinds = useQuery(kindsOptions);
  // A kind that the server does not know narrows nothing.
  const kind = kinds.data?.find(({ name }) => name === search.kind)?.name;
  const query = useInfiniteQuery({
    ...experimentPagesOptions({ ...listQuery(search), kind }),
    enabled: search.kind === undefined || !kinds.isPending,
  });
  const experiments = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const none = query.data !== undefined && experiments.length === 0;
  const bare = none && !isNarrowed({ ...search, kind });
  const choose = (ids: readonly string[]) =>
    change({ chosen: ids.length > 0 ? [...ids] : undefined });
  return (
    <Page
      title={t("common:experiments")}
      ready={!query.isPending && !(bare && kinds.isPending)}
      actions={
        me.may("operator") && (
          <ButtonLink to="/experiments/new" leftSection={<IconPlus size={16} />}>
            {t("new_experiment")}
          </ButtonLink>
        )
      }
    >
      {!bare && <Filters search={{ ...search, kind }} kinds={kinds.data ?? []} onChange={change} />}
      <Loaded query={query}>
        {() =>
          bare ? (
            <>
              <EmptyState icon={<IconFlask size={40} />} title={t("none_yet")}>
                {t("none_yet_text")}
              </EmptyState>
              <Loaded query={kinds}>{(offered) => <TemplateGallery kinds={offered} />}</Loaded>
            </>
          ) : none ? (
            <NoneMatch>
              <ButtonLink to="/experiments" search={{}} variant="default">
                {t("finding:show_all")}
              </ButtonLink>
            </NoneMatch>
          ) : (
            <Stack gap="sm">
              <ExperimentTable
                experiments={experiments}
                chosen={chosen}
                onChoose={choose}
                search={search}
                onSort={change}
              />
              <ListFoot query={query} pages={search.pages} onPages={(pages) => change({ pages })} />
            </Stack>
          )
        }
      </Loaded>
      <ChosenBar chosen={chosen} shown={experiments} kinds={kinds.data ?? []} onChoose={choose} />
    </Page>
  );
}

function Filters({
  search,
  kinds,
  onChange,
}: {
  search: ExperimentsSearch;
  kinds: readonly Kind[];
  onChange: (change: Partial<ExperimentsSearch>) => void;
}) {
  const { t } = useTranslation(["experiments", "finding"]);
  const word = useWords();
  return (
    <ListFilters search={search} onChange={onChange}>
      <FilterSelect
        label={t("kind")}
        value={search.kind}
        data={[
          { value: "", label: t("finding:all_kinds") },
          ...kinds.map(({ name }) => ({ value: name, label: word("kind", name) })),
        ]}
        onChange={(value) =>
          onChange({ kind: undefined, pages: undefined, ...readExperimentsSearch({ kind: value }) })
        }
      />
    </ListFilters>
  );
}

function ExperimentTable({
  experiments,
  chosen,
  onChoose,
  search,
  onSort,
}: {
  experiments: ListedExperiment[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
  search: ListSearch;
  onSort: (change: ListSearch) => void;
}) {
  const { t } = useTranslation(["experiments", "common", "finding"]);
  const word = useWords();
  const latest = useQuery(newestRunsOptions({ limit: 200 }));
  const last = new Map<string, Run>();
  for (const run of latest.data?.runs ?? []) {
    if (run.experiment_id && !last.has(run.experiment_id)) last.set(run.experiment_id, run);
  }
  const otherwise = latest.data && t(latest.data.complete ? "never_ran" : "not_lately");
  return (
    <WideTable caption={t("common:experiments")} captionHidden minWidth={860} stacked dense>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={40}>
            <ChooseAll
              shown={experiments.map(({ id }) => id)}
              chosen={chosen}
              onChoose={onChoose}
            />
          </Table.Th>
          <SortHeader by="name" search={search} onChange={onSort}>
            {t("name")}
          </SortHeader>
          {(["kind", "axes", "updated", "last_run"] as const).map((column) => (
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
            <Table.Tr key={experiment.id} mod={{ chosen: chosen.includes(experiment.id) }}>
              <Table.Td>
                <Checkbox
                  checked={chosen.includes(experiment.id)}
                  onChange={(event) =>
                    onChoose(withOrWithout(chosen, experiment.id, event.currentTarget.checked))
                  }
                  aria-label={t("finding:choose", { name: experiment.name })}
                />
              </Table.Td>
              <Table.Th scope="row" fw={400} miw={200} maw={320}>
                <Group gap={4} wrap="nowrap">
                  <FavouriteButton
                    thing="experiment"
                    id={experiment.id}
                    name={experiment.name}
                    favourite={experiment.marks.favourite}
                  />
                  <AnchorLink
                    to="/experiments/$experimentId"
                    params={{ experimentId: experiment.id }}
                    inherit
                    fw={600}
                    title={experiment.name}
                  >
                    {experiment.name}
                  </AnchorLink>
                  <TagList tags={experiment.marks.tags} />
                </Group>
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
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </WideTable>
  );
}
