import { Button, Group, Text, Title } from "@mantine/core";
import { useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison } from "~/api/types";
import { usePointText } from "~/ui/point_text";
import { DeltaFilters } from "./delta_filters";
import { DeltaTable } from "./delta_table";
import type { RenderLink } from "./links";
import { commonGround, rowsOf, shownRows } from "./model/rows";
import type { Sides } from "./model/sides";
import type { ChangeView, ComparisonViewState } from "./view";

const PAGE = 100;

/** Every effect, narrowed and ordered as the address says, a page at a time. */
export function DeltaSection({
  comparison,
  sides,
  view,
  change,
  renderLink,
}: {
  comparison: Comparison;
  sides: Sides;
  view: ComparisonViewState;
  change: ChangeView;
  renderLink?: RenderLink;
}) {
  const { t } = useTranslation("compare");
  const rows = useMemo(() => rowsOf(comparison), [comparison]);
  const ground = useMemo(() => commonGround(rows), [rows]);
  const point = usePointText();
  const everywhere = point(ground.everywhere);
  // What was chosen is shown at once, and the table when there is time for it.
  const late = useDeferredValue(view);
  const { contender, verdict, only, all, sort, descending } = late;
  const shown = useMemo(
    () => shownRows(rows, { contender, verdict, only, all, sort, descending }),
    [rows, contender, verdict, only, all, sort, descending],
  );
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  const page = Math.min(late.page ?? 1, pages);
  const start = (page - 1) * PAGE;
  const part = useMemo(() => shown.slice(start, start + PAGE), [shown, start]);
  const turn = (to: number) => change({ page: to === 1 ? undefined : to });
  return (
    <section aria-labelledby="deltas">
      <Title order={2} size="h4" id="deltas" mb="sm">
        {t("deltas")}
      </Title>
      <DeltaFilters comparison={comparison} sides={sides} view={view} change={change} />
      {everywhere !== "" && (
        <Text size="sm" c="dimmed" mb="xs">
          {t("everywhere", { point: everywhere })}
        </Text>
      )}
      {part.length === 0 ? (
        <Text c="dimmed" py="md">
          {t("no_rows")}
        </Text>
      ) : (
        <DeltaTable
          rows={part}
          axes={ground.axes}
          sides={sides}
          sort={sort}
          descending={descending}
          opened={late.row}
          change={change}
          renderLink={renderLink}
        />
      )}
      <Group gap="xs" mt="xs">
        <Text size="sm" aria-live="polite">
          {t("portion", {
            from: Math.min(start + 1, shown.length),
            to: Math.min(start + PAGE, shown.length),
            total: shown.length,
          })}
        </Text>
        {pages > 1 && (
          <>
            <Button
              size="compact-sm"
              variant="default"
              disabled={page === 1}
              onClick={() => turn(page - 1)}
            >
              {t("previous")}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              disabled={page === pages}
              onClick={() => turn(page + 1)}
            >
              {t("next")}
            </Button>
          </>
        )}
      </Group>
    </section>
  );
}
