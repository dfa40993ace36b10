import { Alert, Code, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconBan, IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Contender, Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { Disclosure } from "~/ui/disclosure";
import { ScrollRegion, Table } from "~/ui/table";
import type { Side } from "./model/sides";

const LOOKS = {
  comparable: { color: "green", icon: <IconCircleCheck /> },
  confounded: { color: "orange", icon: <IconAlertTriangle /> },
  refused: { color: "red", icon: <IconBan /> },
} as const;

/** Whether the contender may be compared, and every field that differs. */
export function GateReport({ contender, side }: { contender: Contender; side: Side }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const { verdict, differences } = contender.gate;
  const gate = verdict as keyof typeof LOOKS;
  const axes = contender.compared_axes.map((axis) => word("axis", axis)).join(", ");
  const against = differences.filter((one) => one.axis === null);
  return (
    <>
      {gate === "comparable" ? (
        <Text size="sm">
          {t(axes === "" ? "gate.comparable_no_axis" : "gate.comparable", { axes })}
        </Text>
      ) : (
        <Alert
          variant="light"
          color={LOOKS[gate].color}
          icon={LOOKS[gate].icon}
          title={t(`gate.${gate}_title`)}
          p="sm"
        >
          {t(`gate.${gate}`, { axes: axes === "" ? t("gate.no_axis") : axes })}
        </Alert>
      )}
      {differences.length > 0 && (
        <Disclosure
          title={t("differences.title", { count: differences.length })}
          open={against.length > 0}
        >
          <Differences differences={differences} side={side} />
        </Disclosure>
      )}
    </>
  );
}

/** The fields that differ; those that stand against the comparison come first. */
function Differences({
  differences,
  side,
}: {
  differences: Schemas["FieldDifference"][];
  side: Side;
}) {
  const { t } = useTranslation("compare");
  const word = useWords();
  return (
    <ScrollRegion minWidth={520} aria-label={t("differences.label", { side: side.short })}>
      <Table fz="sm" verticalSpacing={4} style={{ overflowWrap: "normal" }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t("differences.field")}</Table.Th>
            <Table.Th scope="col">{t("baseline")}</Table.Th>
            <Table.Th scope="col">{t("contender")}</Table.Th>
            <Table.Th scope="col">{t("differences.follows")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map((one) => (
            <Table.Tr key={`${one.field}${JSON.stringify([one.baseline, one.contender])}`}>
              <Table.Th scope="row" fw={400}>
                <Code>{one.field}</Code>
              </Table.Th>
              <Table.Td>
                <Recorded value={one.baseline} />
              </Table.Td>
              <Table.Td>
                <Recorded value={one.contender} />
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
function Recorded({ value }: { value: Schemas["JsonValue"] }) {
  const { t } = useTranslation("compare");
  if (value === null) {
    return (
      <Text size="sm" c="dimmed">
        {t("differences.unknown")}
      </Text>
    );
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
