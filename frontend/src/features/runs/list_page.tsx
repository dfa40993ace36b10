import { Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { listOf } from "~/list_tools/list";
import { ListFoot } from "~/list_tools/list_foot";
import { listQuery } from "~/list_tools/list_search";
import { useKnownKind } from "~/list_tools/use_known_kind";
import { runsOptions } from "~/queries/runs";
import { ButtonLink } from "~/ui/link";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useSearchState } from "~/ui/use_search_state";
import { ChosenBar } from "./chosen_bar";
import { NoRuns } from "./no_runs";
import { RunFilters } from "./run_filters";
import { RunsSkeleton, RunTable } from "./run_table";

/** `/runs`: every run; what can be done with several, and two of them lead to a comparison. */
export function RunsPage() {
  const { t } = useTranslation(["runs", "common"]);
  const [said, change] = useSearchState("/inside/runs");
  const { names, kind, settled } = useKnownKind(said.kind, IMPORT);
  const search = { ...said, kind };
  const query = useInfiniteQuery({
    ...runsOptions({
      ...listQuery(search),
      state: search.state && [search.state],
      outcome: search.outcome && [search.outcome],
      kind,
      cluster_id: search.cluster,
      label: search.label === undefined ? undefined : [search.label],
    }),
    enabled: settled,
  });
  const list = listOf(query, search, change);
  return (
    <Page
      title={t("common:runs")}
      subtitle={<Text c="dimmed">{t("list_text")}</Text>}
      ready={!query.isPending}
      actions={
        <ButtonLink to="/experiments" variant="default">
          {t("to_experiments")}
        </ButtonLink>
      }
    >
      <RunFilters search={search} kinds={names} onChange={change} />
      {query.error && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <RunsSkeleton />}
      {query.data && list.items.length === 0 && <NoRuns narrowed={!list.bare} />}
      {list.items.length > 0 && (
        <Stack gap="sm">
          <RunTable {...list} />
          <ListFoot query={query} pages={search.pages} onPages={(pages) => change({ pages })} />
        </Stack>
      )}
      <ChosenBar list={list} />
    </Page>
  );
}
