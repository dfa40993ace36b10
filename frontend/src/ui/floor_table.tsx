import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Point, Schemas, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { scaleOf, writeFigure, writeInterval } from "~/quantities/format";
import { usePointText } from "./point_text";
import { Table } from "./table";
import { WideTable } from "./wide_table";

type Projected = Schemas["Projected"];

const LEVELS = ["within", "blocks", "runs"] as const;

/** Each figure's standard deviations, one column a level: trials, blocks, runs. */
export function FloorTable({ floor }: { floor: Schemas["MeasuredFloor"] }) {
  const { t } = useTranslation("floors");
  const word = useWords();
  const pointText = usePointText();
  return (
    <WideTable caption={t("caption")} minWidth={640} stacked>
      <Table.Head columns={[t("figure"), ...LEVELS.map((level) => t(`level.${level}`))]} />
      <Table.Tbody>
        {byFigure(floor.figures).map(({ key, rows }) => (
          <Table.Tr key={key.metric + key.subject + JSON.stringify(key.point)}>
            <Table.Th scope="row" fw={400}>
              {word("metric", key.metric)}
              <Text size="xs" c="dimmed">
                {pointText(key.point as Point)}
              </Text>
            </Table.Th>
            {LEVELS.map((level) => (
              <Table.Td key={level} data-level={level}>
                <Deviation row={rows.find(({ code }) => code === level)} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

/** The rows of each figure, in their order. */
function byFigure(rows: readonly Projected[]): { key: Projected["key"]; rows: Projected[] }[] {
  const found = new Map<string, { key: Projected["key"]; rows: Projected[] }>();
  for (const row of rows) {
    const of = JSON.stringify(row.key);
    const figure = found.get(of) ?? { key: row.key, rows: [] };
    figure.rows.push(row);
    found.set(of, figure);
  }
  return [...found.values()];
}

function Deviation({ row }: { row: Projected | undefined }) {
  const { t } = useTranslation("floors");
  if (row?.value == null) {
    return (
      <Text span inherit c="dimmed">
        {t("unknown")}
      </Text>
    );
  }
  const unit = row.key.unit as Unit;
  const scale = scaleOf(row.value, unit);
  const known = { value: row.value, low: row.low, high: row.high };
  const written = writeFigure(known, unit, { scale });
  return (
    <>
      ± {written.value}
      <Text size="xs" c="dimmed">
        {t("interval", { interval: writeInterval(written), n: row.n })}
      </Text>
    </>
  );
}
