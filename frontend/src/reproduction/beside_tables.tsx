import { Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { figureOf } from "~/api/rows";
import type { Schemas, Unit } from "~/api/types";
import { bracketed } from "~/i18n/punctuation";
import { formatQuantity, writeFigure, writeInterval } from "~/quantities/format";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

type Cell = Schemas["BesideCell"];
type BesideTable = Schemas["BesideTable"];
type Reproduction = Schemas["Reproduction"];

/** Published tables, each figure of ours beside its own; what we have none of is left out. */
export function BesideTables({ found }: { found: Reproduction }) {
  return found.tables
    .filter(({ measured }) => measured > 0)
    .map((table) => <OneTable key={table.id} table={table} language={found.language} />);
}

function OneTable({ table, language }: { table: BesideTable; language: string }) {
  const { t } = useTranslation("reproduction");
  const rows = table.rows.filter((row) => row.cells.some((cell) => cell.ours));
  const columns = table.columns
    .map((column, place) => ({ ...column, place }))
    .filter(({ place }) => rows.some((row) => row.cells[place]?.ours));
  const left = table.figures - table.measured;
  return (
    <div>
      <Title order={3} size="h5">
        {table.title.text}
      </Title>
      <WideTable caption={t("where", { where: table.where })} minWidth={180 * columns.length + 120}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t("row")}</Table.Th>
            {columns.flatMap(({ id, printed }) =>
              (["beside_published", "beside_ours"] as const).map((side) => (
                <Table.Th key={`${id} ${side}`} scope="col">
                  <span lang={language}>{printed || table.title.text}</span>, {t(side)}
                </Table.Th>
              )),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Th scope="row" fw={400} ta="left" lang={language}>
                {row.printed || row.id}
              </Table.Th>
              {columns.flatMap(({ id, place }) => {
                const cell = row.cells[place];
                return [
                  <Table.Td key={`${id} published`}>{cell && <Printed cell={cell} />}</Table.Td>,
                  <Table.Td key={`${id} ours`}>{cell && <Ours cell={cell} />}</Table.Td>,
                ];
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {left > 0 && (
        <Text size="sm" c="dimmed">
          {t("unmeasured", { count: left, figures: table.figures })}
        </Text>
      )}
    </div>
  );
}

/** In the unit of our value, and as printed if that differs. */
function Printed({ cell: { quote, value, unit } }: { cell: Cell }) {
  if (quote == null) return null;
  if (value == null || unit === "count") return quote;
  const told = formatQuantity(value, unit as Unit);
  return unitOf(told) === unitOf(quote) ? quote : bracketed(told, quote);
}

/** The unit beside the digits: "Gbit/s". */
function unitOf(figure: string): string {
  return figure.replaceAll(/[-\d.,\s]/g, "");
}

function Ours({ cell: { ours } }: { cell: Cell }) {
  const { t } = useTranslation("reproduction");
  const median = ours && figureOf(ours);
  if (!ours || !median) return null;
  const figure = writeFigure(median, ours.key.unit as Unit);
  const interval = writeInterval(figure);
  return (
    <>
      <strong>{figure.value}</strong>
      {interval && ` ${interval}`}
      <Text span size="xs" c="dimmed">
        {` ${t("trials_count", { n: ours.n })}`}
      </Text>
    </>
  );
}
