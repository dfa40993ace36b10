import { Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { useFieldText } from "~/ui/field_text";
import { ScrollRegion, Table } from "~/ui/table";
import type { Side } from "./model/sides";

/** Named instead of every field where an environment was not recorded, with how it is known. */
const WHOLE = "fingerprint";

/** The fields that differ; those that stand against the comparison come first. */
export function Differences({
  differences,
  side,
}: {
  differences: Schemas["FieldDifference"][];
  side: Side;
}) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const fieldText = useFieldText();
  return (
    <ScrollRegion minWidth={520} aria-label={t("differences.label", { side: side.short })}>
      <Table fz="sm" verticalSpacing={4} style={{ overflowWrap: "normal" }}>
        <Table.Head
          columns={[
            t("differences.field"),
            t("baseline"),
            t("contender"),
            t("differences.follows"),
          ]}
        />
        <Table.Tbody>
          {differences.map((one) => (
            <Table.Tr key={`${one.field}${JSON.stringify([one.baseline, one.contender])}`}>
              <Table.Th scope="row" fw={400}>
                {one.field === WHOLE ? t("differences.whole.field") : fieldText(one.field)}
              </Table.Th>
              <Table.Td>
                <Recorded field={one.field} value={one.baseline} />
              </Table.Td>
              <Table.Td>
                <Recorded field={one.field} value={one.contender} />
              </Table.Td>
              <Table.Td>
                {one.axis !== null ? (
                  word("axis", one.axis)
                ) : (
                  <Group gap={4} wrap="nowrap">
                    <IconAlertTriangle size={14} aria-hidden />
                    <Text size="sm" fw={600}>
                      {t("differences.nothing")}
                    </Text>
                  </Group>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

/** A recorded value; null was not visible where it was looked for. */
function Recorded({ field, value }: { field: string; value: Schemas["JsonValue"] }) {
  const { t } = useTranslation("compare");
  if (field === WHOLE) return t(`differences.whole.${value as "published"}`);
  if (value === null) {
    return (
      <Text size="sm" c="dimmed">
        {t("differences.unknown")}
      </Text>
    );
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
