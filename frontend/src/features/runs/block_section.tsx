import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { AxisValue } from "~/api/types";
import { followed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Block, Trial } from "~/queries/runs";
import { usePointText, useValueText } from "~/ui/point_text";
import { ScrollRegion, Table } from "~/ui/table";
import { BlockLine } from "./block_line";
import { blockOutcome } from "./block_outcome";
import { CaseCell } from "./case_cell";
import caseClasses from "./case_cell.module.css";
import type { CaseFigures } from "./figures";
import { caseTable, type Section } from "./grid";

/** Columns that a phone is wide enough for. */
const FITTING = 3;

/** The cases that share one set of modes: how their blocks went, and the cases as a table. */
export function BlockSection({
  section,
  axes,
  figures,
  trials,
  attempt,
}: {
  section: Section;
  axes: readonly string[];
  figures: CaseFigures;
  /** Undefined while they are unknown. */
  trials: readonly Trial[] | undefined;
  /** The run's latest. */
  attempt: number;
}) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const pointText = usePointText();
  const modes = Object.keys(section.modes);
  const title = modes.length > 0 ? pointText(section.modes, modes) : t("modes_as_they_stand");
  const table = caseTable(section.cases, axes, modes);
  const told = useValueText();
  const valueText = (value: AxisValue | undefined) =>
    value === undefined ? t("not_applicable") : told(value);

  return (
    <Box component="section" aria-label={title}>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
          {alike(section.blocks).map(({ first, last }) => (
            <BlockLine
              key={first.position}
              block={first}
              outcome={blockOutcome(first, section.cases, trials, attempt)}
              last={last.round}
              rounds={section.blocks.length}
            />
          ))}
        </Stack>
        {section.setUp && (
          <Group gap="sm" wrap="nowrap">
            <Text size="sm">{t("set_up")}</Text>
            <Box w={170}>
              <CaseCell one={section.setUp} figures={figures} />
            </Box>
          </Group>
        )}
        {table.fixed.length > 0 && (
          <Text size="sm" c="dimmed">
            {followed(t("all_cases"))}
            {table.fixed.map(([axis, value]) => pointText({ [axis]: value })).join(" · ")}
          </Text>
        )}
        <ScrollRegion
          minWidth={(table.rowAxes.length + table.columns.length) * 100}
          aria-label={t("cases_of", { title })}
        >
          <Table
            stacked={table.rowAxes.length + table.columns.length > FITTING}
            withTableBorder
            withColumnBorders
            verticalSpacing={6}
          >
            <Table.Caption className="visually-hidden">{t("cases_of", { title })}</Table.Caption>
            <Table.Thead>
              <Table.Tr>
                {table.rowAxes.map((axis) => (
                  <Table.Th key={axis} scope="col">
                    {word("axis", axis)}
                  </Table.Th>
                ))}
                {table.column === null ? (
                  <Table.Th scope="col">{t("state")}</Table.Th>
                ) : (
                  table.columns.map((value) => (
                    <Table.Th key={String(value)} scope="col">
                      <Group gap={4}>
                        <Text span inherit c="dimmed" fw={400}>
                          {`${word("axis", table.column ?? "")} `}
                        </Text>
                        {valueText(value)}
                      </Group>
                    </Table.Th>
                  ))
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {table.rows.map((row) => (
                <Table.Tr key={row.key}>
                  {table.rowAxes.map((axis) => (
                    <Table.Th key={axis} scope="row" fw={400}>
                      {valueText(row.point[axis])}
                    </Table.Th>
                  ))}
                  {row.cells.map((one, index) => (
                    <Table.Td key={String(table.columns[index])} p={4} className={caseClasses.held}>
                      {one === null ? (
                        <Text size="sm" c="dimmed" px={6}>
                          {t("no_case")}
                        </Text>
                      ) : (
                        <CaseCell one={one} figures={figures} />
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      </Stack>
    </Box>
  );
}

/** Blocks in their order; consecutive ones that were skipped for one reason share a line. */
function alike(blocks: readonly Block[]): { first: Block; last: Block }[] {
  const found: { first: Block; last: Block }[] = [];
  for (const block of blocks) {
    const before = found.at(-1);
    const same = block.status === "skipped" && before?.first.status === "skipped";
    if (same && before.first.reason?.text === block.reason?.text) before.last = block;
    else found.push({ first: block, last: block });
  }
  return found;
}
