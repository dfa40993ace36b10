import { Table, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { useCallback, useRef } from "react";
import { useTranslation } from "react-i18next";
import { DeltaRow } from "./delta_row";
import type { RenderLink } from "./links";
import type { Row } from "./model/rows";
import type { Sides } from "./model/sides";
import { ScrollRegion } from "./scroll_region";
import type { ComparisonViewState, SortKey } from "./view";

/** The effects as a table; the header, which names the sides, stays in sight. */
export function DeltaTable({
  rows,
  axes,
  sides,
  view,
  onView,
  renderLink,
}: {
  rows: Row[];
  /** Those on which the comparison's cases differ. */
  axes: string[];
  sides: Sides;
  view: ComparisonViewState;
  onView: (view: ComparisonViewState) => void;
  renderLink?: RenderLink;
}) {
  const { t } = useTranslation("compare");
  const several = sides.contenders.length > 1;
  const [only] = sides.contenders;
  // Always the same function, so that opening a row does not draw the others anew.
  const latest = useRef({ view, onView });
  latest.current = { view, onView };
  const toggle = useCallback((key: string) => {
    const { view: now, onView: tell } = latest.current;
    tell({ ...now, row: now.row === key ? undefined : key });
  }, []);
  return (
    <ScrollRegion minWidth={900} maxHeight="75vh" label={t("deltas_table")}>
      <Table stickyHeader verticalSpacing={6} fz="sm">
        <Table.Thead style={{ zIndex: 2 }}>
          <Table.Tr>
            {several && <Table.Th scope="col">{t("contender")}</Table.Th>}
            <Table.Th scope="col">{t("case")}</Table.Th>
            <Table.Th scope="col">{t("metric")}</Table.Th>
            <Table.Th scope="col">{t("baseline_is", { side: sides.baseline.short })}</Table.Th>
            <Table.Th scope="col">
              {several ? t("contender") : t("contender_is", { side: only?.short })}
            </Table.Th>
            <SortHeader sort="change" label={t("change")} view={view} onView={onView} />
            <SortHeader sort="p" label={t("p")} view={view} onView={onView} />
            <SortHeader sort="verdict" label={t("verdict")} view={view} onView={onView} />
            <Table.Th scope="col">
              <span className="visually-hidden">{t("details")}</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <DeltaRow
              key={row.key}
              row={row}
              axes={axes}
              sides={sides}
              opened={view.row === row.key}
              toggle={toggle}
              renderLink={renderLink}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

/** Up, down, then as the cases come. */
function SortHeader({
  sort,
  label,
  view,
  onView,
}: {
  sort: SortKey;
  label: string;
  view: ComparisonViewState;
  onView: (view: ComparisonViewState) => void;
}) {
  const on = view.sort === sort;
  const next = () => {
    const rest = { ...view, page: undefined, sort: undefined, descending: undefined };
    if (!on) onView({ ...rest, sort });
    else if (!view.descending) onView({ ...rest, sort, descending: true });
    else onView(rest);
  };
  const Icon = !on ? IconArrowsSort : view.descending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th scope="col" aria-sort={!on ? "none" : view.descending ? "descending" : "ascending"}>
      <UnstyledButton onClick={next} fz="sm" fw={700} style={{ whiteSpace: "nowrap" }}>
        {label} <Icon size={12} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  );
}
