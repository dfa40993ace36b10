import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatNumber } from "~/quantities/format";
import { Table } from "~/ui/table";

/** How much the organization may have, and has. */
export function Quotas({ quotas }: { quotas: Schemas["QuotaView"][] }) {
  const { t } = useTranslation("members");
  const word = useWords();
  return (
    <Table fz="sm" maw={520} captionSide="top">
      <Table.Caption className="visually-hidden">{t("quotas")}</Table.Caption>
      <Table.Head
        columns={[
          t("limited"),
          { label: t("used"), ta: "right" },
          { label: t("most"), ta: "right" },
        ]}
      />
      <Table.Tbody>
        {quotas.map(({ quota, used, most }) => (
          <Table.Tr key={quota}>
            <Table.Th scope="row" fw={400}>
              {word("quota", quota)}
            </Table.Th>
            <Table.Td ta="right">{formatNumber(used, true)}</Table.Td>
            <Table.Td ta="right">
              {most === null ? t("unlimited") : formatNumber(most, true)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
