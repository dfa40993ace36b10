import { Alert, Code, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { ScrollRegion, Table } from "~/ui/table";

type Replacement = Schemas["ReplacementView"];

/** What is replaced by what, and how often. */
export function Redactions({ replacements }: { replacements: Replacement[] }) {
  const { t } = useTranslation(["snapshots", "public"]);
  if (replacements.length === 0) {
    return (
      <Alert icon={<IconEyeOff />} color="orange" variant="light" title={t("nothing_replaced")}>
        {t("nothing_replaced_text")}
      </Alert>
    );
  }
  return (
    <ScrollRegion minWidth={420} mah={{ base: "none", xs: 280 }} aria-label={t("replaced")}>
      <Table captionSide="top" stickyHeader stacked>
        <Table.Caption ta="left">
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {t("replaced_count", { count: replacements.length })}
          </Text>
        </Table.Caption>
        <Table.Head
          columns={[t("kind"), t("original"), t("shown_as"), { label: t("times"), ta: "right" }]}
        />
        <Table.Tbody>
          {replacements.map((one) => (
            <Table.Tr key={`${one.kind} ${one.original}`}>
              <Table.Td>{t(`public:replaced_kind.${one.kind as "node"}`, one.kind)}</Table.Td>
              <Table.Th scope="row" fw={400}>
                <Code>{one.original}</Code>
              </Table.Th>
              <Table.Td>
                <Code>{one.pseudonym}</Code>
              </Table.Td>
              <Table.Td ta="right">{one.count}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}
