import { MultiSelect, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatQuantity } from "~/quantities/format";
import type { ImportAxis, Preview, RecognisedOutput } from "~/queries/imports";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { AxisCell } from "./axis_cell";
import { type Placed, placeAll } from "./placing";

/** What was recognised, and where each output was measured as far as it does not tell itself. */
export function OutputsTable({
  preview,
  shown,
  placed,
  faultAt,
  onShow,
  onPlace,
}: {
  preview: Preview;
  /** The axes that have a column. */
  shown: readonly string[];
  placed: Placed;
  /** Why a value was refused. */
  faultAt: (output: number, axis: string) => string | undefined;
  onShow: (axes: string[]) => void;
  onPlace: (placed: Placed) => void;
}) {
  const { t } = useTranslation("imports");
  const word = useWords();
  const { outputs } = preview;
  const axes = shown.flatMap((name) => preview.axes.find((one) => one.name === name) ?? []);
  return (
    <Stack gap="sm" component="section" aria-label={t("recognised", { count: outputs.length })}>
      <Title order={2} size="h4">
        {t("recognised", { count: outputs.length })}
      </Title>
      <Text size="sm" c="dimmed">
        {t("recognised_text")}
      </Text>
      <MultiSelect
        label={t("axes")}
        value={[...shown]}
        onChange={onShow}
        data={preview.axes.map(({ name }) => ({ value: name, label: word("axis", name) }))}
        searchable
        maw="40rem"
      />
      <WideTable
        caption={t("recognised", { count: outputs.length })}
        captionHidden
        minWidth={620 + 160 * axes.length}
      >
        <Table.Head
          columns={[
            t("number"),
            t("tool"),
            t("lines"),
            t("figures"),
            ...axes.map(({ name }) => word("axis", name)),
          ]}
        />
        <Table.Tbody>
          {outputs.length > 1 && axes.length > 0 && (
            <Table.Tr>
              <Table.Th scope="row" colSpan={4} fw={400}>
                {t("all_rows")}
              </Table.Th>
              {axes.map((axis) => (
                <Table.Td key={axis.name}>
                  <AxisCell
                    axis={axis}
                    label={t("for_all", { axis: word("axis", axis.name) })}
                    value={common(outputs, placed, axis.name)}
                    onChange={(written) => onPlace(placeAll(outputs, placed, axis.name, written))}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          )}
          {outputs.map((one) => (
            <OutputRow
              key={one.output}
              one={one}
              axes={axes}
              placed={placed}
              faultAt={faultAt}
              onPlace={onPlace}
            />
          ))}
        </Table.Tbody>
      </WideTable>
    </Stack>
  );
}

/** What all outputs that do not tell it have in common; "" where they have not. */
function common(outputs: readonly RecognisedOutput[], placed: Placed, axis: string): string {
  const open = outputs.filter(({ told }) => !(axis in told));
  const values = new Set(open.map(({ output }) => placed[output]?.[axis] ?? ""));
  const [only = ""] = values;
  return values.size === 1 ? only : "";
}

function OutputRow({
  one,
  axes,
  placed,
  faultAt,
  onPlace,
}: {
  one: RecognisedOutput;
  axes: readonly ImportAxis[];
  placed: Placed;
  faultAt: (output: number, axis: string) => string | undefined;
  onPlace: (placed: Placed) => void;
}) {
  const { t } = useTranslation("imports");
  const word = useWords();
  const { output, told } = one;
  const beside = Object.entries(told).filter(([name]) => !axes.some((axis) => axis.name === name));
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {output}
      </Table.Th>
      <Table.Td>
        {one.tool} {one.version}
        {beside.map(([name, value]) => (
          <Text key={name} size="xs" c="dimmed">
            {word("axis", name)}: {word("axis_value", value)}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        {one.first_line === one.last_line ? one.first_line : `${one.first_line}–${one.last_line}`}
      </Table.Td>
      <Table.Td>
        {one.figures.map((figure) => (
          <Text key={figure.metric + figure.subject} size="sm">
            {word("metric", figure.metric)}
            {figure.subject && ` (${figure.subject})`}:{" "}
            {formatQuantity(figure.value, figure.unit as Unit)}
            {figure.printed && (
              <Text span size="xs" c="dimmed">
                {" "}
                {figure.printed}
              </Text>
            )}
          </Text>
        ))}
        {one.requests !== null && one.figures.some(({ printed }) => printed === "") && (
          <Text size="xs" c="dimmed">
            {t("mean_requests", { count: one.requests })}
          </Text>
        )}
        {one.samples !== null && (
          <Text size="xs" c="dimmed">
            {t("mean_samples", { count: one.samples })}
          </Text>
        )}
        {one.notes.map((note) => (
          <Text key={note.code} size="xs">
            {note.text}
          </Text>
        ))}
      </Table.Td>
      {axes.map((axis) => (
        <Table.Td key={axis.name}>
          {axis.name in told ? (
            word("axis_value", told[axis.name] as string | number)
          ) : (
            <AxisCell
              axis={axis}
              label={t("axis_of", { axis: word("axis", axis.name), output })}
              value={placed[output]?.[axis.name] ?? ""}
              error={faultAt(output, axis.name)}
              onChange={(written) =>
                onPlace({ ...placed, [output]: { ...placed[output], [axis.name]: written } })
              }
            />
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
