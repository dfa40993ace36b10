import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { KEPT, ScrollRegion, Table } from "~/ui/table";
import { DeltaRow } from "./delta_row";
import type { RenderLink } from "./links";
import type { Row } from "./model/rows";
import type { Sides } from "./model/sides";
import type { ChangeView, SortKey } from "./view";

interface Sorted {
  sort: SortKey | undefined;
  descending: true | undefined;
  change: ChangeView;
}

/** So many rows need no scrolling of their own. */
const SHORT = 12;

/** The effects as a table; the header, which names the sides, stays in sight. */
export const DeltaTable = memo(function DeltaTable({
  rows,
  axes,
  sides,
  sort,
  descending,
  opened,
  change,
  renderLink,
}: Sorted & {
  rows: Row[];
  /** Those on which the comparison's cases differ. */
  axes: string[];
  sides: Sides;
  /** The key of the row whose trials are shown. */
  opened: string | undefined;
  renderLink?: RenderLink;
}) {
  const { t } = useTranslation("compare");
  const several = sides.contenders.length > 1;
  const [only] = sides.contenders;
  const sorted = { sort, descending, change };
  return (
    <ScrollRegion
      minWidth={900}
      mah={rows.length > SHORT ? { base: "none", xs: "75vh" } : undefined}
      aria-label={t("deltas_table")}
    >
      <Table stickyHeader stacked verticalSpacing={6} fz="sm" style={{ overflowWrap: "normal" }}>
        <Table.Thead style={{ zIndex: 2 }}>
          <Table.Tr>
            {several && <Table.Th scope="col">{t("contender")}</Table.Th>}
            <Table.Th scope="col">{t("case")}</Table.Th>
            <Table.Th scope="col">{t("metric")}</Table.Th>
            <Table.Th scope="col">{t("baseline_is", { side: sides.baseline.short })}</Table.Th>
            <Table.Th scope="col">
              {several ? t("contender") : t("contender_is", { side: only?.short })}
            </Table.Th>
            <SortHeader by="change" label={t("change")} {...sorted} />
            <SortHeader by="p" label={t("p")} {...sorted} />
            <SortHeader by="verdict" label={t("verdict")} {...sorted} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <DeltaRow
              key={row.key}
              row={row}
              axes={axes}
              sides={sides}
              opened={opened === row.key}
              change={change}
              renderLink={renderLink}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
});

/** Up, down, then as the cases come. */
function SortHeader({
  by,
  label,
  sort,
  descending,
  change,
}: Sorted & { by: SortKey; label: string }) {
  const on = sort === by;
  const next = () => {
    if (!on) change({ page: undefined, sort: by, descending: undefined });
    else if (!descending) change({ page: undefined, descending: true });
    else change({ page: undefined, sort: undefined, descending: undefined });
  };
  const Icon = !on ? IconArrowsSort : descending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th
      scope="col"
      className={by === "verdict" ? KEPT : undefined}
      aria-sort={!on ? "none" : descending ? "descending" : "ascending"}
    >
      <UnstyledButton onClick={next} fz="sm" fw={700} style={{ whiteSpace: "nowrap" }}>
        {label} <Icon size={12} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  );
}
