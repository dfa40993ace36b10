import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Point, Schemas, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { scaleOf, writeFigure } from "~/quantities/format";
import { usePointText } from "./point_text";
import { Table } from "./table";
import { WideTable } from "./wide_table";

type FloorFigure = Schemas["FloorFigure"];

const LEVELS = ["within", "blocks", "runs"] as const;

/** Each figure's standard deviations, one column a level: trials, blocks, runs. */
export function FloorTable({ floor }: { floor: Schemas["MeasuredFloor"] }) {
  const { t } = useTranslation("floors");
  const word = useWords();
  const pointText = usePointText();
  return (
    <WideTable caption={t("caption")} minWidth={640} stacked>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t("figure")}</Table.Th>
          {LEVELS.map((level) => (
            <Table.Th key={level} scope="col">
              {t(`level.${level}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {floor.figures.map((figure) => (
          <Table.Tr key={figure.metric + figure.subject + JSON.stringify(figure.point)}>
            <Table.Th scope="row" fw={400}>
              {word("metric", figure.metric)}
              <Text size="xs" c="dimmed">
                {pointText(figure.point as Point)}
              </Text>
            </Table.Th>
            {LEVELS.map((level) => (
              <Table.Td key={level} data-level={level}>
                <Spread spread={figure[level]} figure={figure} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Spread({
  spread,
  figure,
}: {
  spread: Schemas["SpreadFigure"] | null;
  figure: FloorFigure;
}) {
  const { t } = useTranslation("floors");
  if (spread === null) {
    return (
      <Text span inherit c="dimmed">
        {t("unknown")}
      </Text>
    );
  }
  const unit: Unit = spread.relative ? "ratio" : (figure.unit as Unit);
  const scale = scaleOf(spread.deviation, unit);
  const known = { value: spread.deviation, low: spread.low, high: spread.high };
  const { value: middle, low, high, symbol } = writeFigure(known, unit, { scale });
  const withUnit = (end: string | null) => (symbol === "" ? end : `${end}\u202f${symbol}`);
  return (
    <>
      ± {middle}
      <Text size="xs" c="dimmed">
        {t("interval", { low: withUnit(low), high: withUnit(high), n: spread.n })}
      </Text>
    </>
  );
}
