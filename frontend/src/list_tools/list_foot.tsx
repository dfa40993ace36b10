import { Button, Group, Text } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

interface ListPage {
  items: readonly unknown[];
}

/** Under a list: how many are shown, and more. As many pages are read as the address says. */
export function ListFoot<Page extends ListPage>({
  query,
  pages = 1,
  onPages,
}: {
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  pages?: number;
  onPages: (pages: number) => void;
}) {
  const { t } = useTranslation("finding");
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const read = query.data?.pages.length ?? 0;
  const wanting = read > 0 && read < pages && hasNextPage && !isFetching && !query.isError;
  useEffect(() => {
    if (wanting) void fetchNextPage();
  }, [wanting, fetchNextPage]);
  const count = query.data?.pages.reduce((sum, page) => sum + page.items.length, 0) ?? 0;
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" aria-live="polite">
        {t(hasNextPage ? "shown_more" : "shown_all", { count })}
      </Text>
      {hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => onPages(read + 1)}
        >
          {t("load_more")}
        </Button>
      )}
    </Group>
  );
}
