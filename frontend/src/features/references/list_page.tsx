import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWordList, useWords } from "~/i18n/words";
import { type ReferenceSummary, referencesOptions } from "~/queries/references";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Every published result set that there is. */
export function ReferencesPage() {
  const { t } = useTranslation("references");
  const references = useQuery(referencesOptions);
  return (
    <Page
      title={t("title")}
      subtitle={<Text c="dimmed">{t("subtitle")}</Text>}
      ready={!references.isPending}
    >
      <Loaded query={references}>
        {(rows) => (
          <WideTable caption={t("list")} captionHidden minWidth={760} stacked>
            <Table.Head
              columns={[
                t("source"),
                t("date"),
                t("kinds"),
                { label: t("figures"), ta: "right" },
                t("claims"),
              ]}
            />
            <Table.Tbody>
              {rows.map((one) => (
                <Row key={one.id} reference={one} />
              ))}
            </Table.Tbody>
          </WideTable>
        )}
      </Loaded>
    </Page>
  );
}

function Row({ reference }: { reference: ReferenceSummary }) {
  const { t } = useTranslation("references");
  const word = useWords();
  const listed = useWordList();
  const { claims } = reference;
  const counted = (["holds", "partly", "fails", "not_recomputable"] as const)
    .filter((verdict) => claims[verdict] > 0)
    .map((verdict) => t(`tally_${verdict}`, { count: claims[verdict] }));
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} ta="left">
        <AnchorLink to="/references/$referenceId" params={{ referenceId: reference.id }} fw={600}>
          {reference.subject}
        </AnchorLink>
        <Text size="sm" c="dimmed">
          <span lang={reference.language}>{reference.title}</span>
          {reference.author && ` · ${reference.author}`}
        </Text>
      </Table.Th>
      <Table.Td>{reference.published || t("none")}</Table.Td>
      <Table.Td>{listed(reference.kinds.map((kind) => word("kind", kind)))}</Table.Td>
      <Table.Td ta="right">{reference.figures}</Table.Td>
      <Table.Td>{listed(counted) || t("no_claims")}</Table.Td>
    </Table.Tr>
  );
}
