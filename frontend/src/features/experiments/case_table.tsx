import { Text, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { AxisValue } from "~/api/types";
import { useWords } from "~/i18n/words";
import type { Plan } from "~/queries/experiments";
import { usePointText } from "~/ui/point_text";
import { ScrollRegion, Table } from "~/ui/table";
import { type CaseGrid, caseGrid, type GridRow } from "./case_grid";
import classes from "./experiments.module.css";

/** The matrix: which combinations of the axes are cases. */
export function CaseTable({
  cases,
  axisOrder,
}: {
  cases: Plan["cases"];
  axisOrder: readonly string[];
}) {
  const { t } = useTranslation("experiments");
  const pointText = usePointText();
  const grid = caseGrid(cases, axisOrder);
  const fixed = pointText(grid.fixed);
  const partly = pointText(grid.partly);
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {t("cases_title", { count: cases.length })}
      </Title>
      {fixed && (
        <Text size="xs" c="dimmed" mb={6}>
          {t("in_all_cases", { point: fixed })}
        </Text>
      )}
      {partly && (
        <Text size="xs" c="dimmed" mb={6}>
          {t("where_it_applies", { point: partly })}
        </Text>
      )}
      {(grid.columnAxis !== null || grid.rowAxes.length > 0) && (
        <ScrollRegion minWidth={0} mah={420} aria-label={t("cases")}>
          <Table
            withTableBorder
            withColumnBorders
            fz="xs"
            verticalSpacing={4}
            stickyHeader
            className={classes.table}
          >
            <Table.Caption className="visually-hidden">{t("cases_caption")}</Table.Caption>
            <Head grid={grid} />
            <Table.Tbody>
              {grid.rows.map((row) => (
                <Row key={row.key} row={row} axes={grid.rowAxes} columns={grid.columns} />
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      )}
    </div>
  );
}

function Head({ grid }: { grid: CaseGrid }) {
  const word = useWords();
  const { columnAxis } = grid;
  return (
    <Table.Thead>
      <Table.Tr>
        {grid.rowAxes.map((axis) => (
          <Table.Th
            key={axis}
            scope="col"
            rowSpan={columnAxis === null ? 1 : 2}
            style={{ verticalAlign: "bottom" }}
          >
            {word("axis", axis)}
          </Table.Th>
        ))}
        {columnAxis !== null && (
          <Table.Th scope="colgroup" colSpan={grid.columns.length} ta="center">
            {word("axis", columnAxis)}
          </Table.Th>
        )}
      </Table.Tr>
      {columnAxis !== null && (
        <Table.Tr>
          {grid.columns.map((value) => (
            <Table.Th key={String(value)} scope="col" ta="center">
              {word("axis_value", value)}
            </Table.Th>
          ))}
        </Table.Tr>
      )}
    </Table.Thead>
  );
}

function Row({
  row,
  axes,
  columns,
}: {
  row: GridRow;
  axes: readonly string[];
  columns: readonly AxisValue[];
}) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  return (
    <Table.Tr>
      {axes.map((axis) => (
        <Table.Th key={axis} scope="row" fw={400}>
          {axis in row.point ? (
            word("axis_value", row.point[axis] as AxisValue)
          ) : (
            <Text span c="dimmed" size="xs" title={t("not_on_axis")}>
              {t("any")}
            </Text>
          )}
        </Table.Th>
      ))}
      {columns.map((column, index) => (
        <Table.Td key={String(column)} ta="center">
          {row.cells[index] ? (
            <IconCheck size={14} role="img" aria-label={t("is_case")} />
          ) : (
            <Text span c="dimmed" size="xs" aria-label={t("is_no_case")} role="img">
              –
            </Text>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
