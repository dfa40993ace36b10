import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { type AuditQuery, auditOptions, exportAddress } from "~/queries/audit";
import { EmptyState } from "~/ui/empty_state";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useSearchState } from "~/ui/use_search_state";
import { EntriesTable } from "./entries_table";
import { AuditFilters } from "./filters";
import { queryOf } from "./search";

/** `/audit`: who did what in the organization, for its administrators. */
export function AuditPage() {
  const { t } = useTranslation("audit");
  const me = useMe();
  if (me.may("admin")) return <AuditLog />;
  return (
    <Page title={t("title")}>
      <EmptyState title={t("for_admins")}>{t("for_admins_text")}</EmptyState>
    </Page>
  );
}

function AuditLog() {
  const { t } = useTranslation(["audit", "common"]);
  const [search, , replace] = useSearchState("/inside/audit");
  const wanted = queryOf(search);
  const query = useInfiniteQuery(auditOptions(wanted));
  const entries = query.data?.pages.flatMap((page) => page.items);
  return (
    <Page
      title={t("title")}
      subtitle={<Text c="dimmed">{t("text")}</Text>}
      ready={!query.isPending}
      actions={
        <>
          <Download wanted={wanted} format="csv" />
          <Download wanted={wanted} format="jsonl" />
        </>
      }
    >
      <AuditFilters
        // What is written in it is what the address says, by Back and Forward too.
        key={`${search.who} ${search.object}`}
        search={search}
        onChange={replace}
      />
      {query.error && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={240} role="status" aria-label={t("common:loading")} />}
      {entries?.length === 0 && (
        <EmptyState title={t("none_match")}>{t("none_match_text")}</EmptyState>
      )}
      {entries && entries.length > 0 && (
        <Stack gap="sm">
          <EntriesTable entries={entries} />
          <Group justify="space-between">
            <Text size="sm" c="dimmed" aria-live="polite">
              {t(query.hasNextPage ? "shown_more" : "shown_all", { count: entries.length })}
            </Text>
            {query.hasNextPage && (
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t("load_more")}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Page>
  );
}

function Download({ wanted, format }: { wanted: AuditQuery; format: "csv" | "jsonl" }) {
  const { t } = useTranslation("audit");
  return (
    <Button component="a" variant="default" href={exportAddress(wanted, format)} download>
      {t(`export_${format}`)}
    </Button>
  );
}
