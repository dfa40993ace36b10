import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { bracketed, labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatQuantity } from "~/quantities/format";
import type { PublishedClaim, ReferenceDocument } from "~/queries/references";
import { ClaimBadge } from "~/reproduction/claim_badge";
import { ClaimSaid } from "~/reproduction/claim_said";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** What the source says, what its own figures give, and whether that is so. */
export function ClaimsTable({ reference }: { reference: ReferenceDocument }) {
  const { t } = useTranslation("references");
  return (
    <WideTable caption={t("claims_title")} captionHidden minWidth={720} stacked>
      <Table.Head columns={[t("claim"), t("own_figures"), t("verdict")]} />
      <Table.Tbody>
        {reference.claims.map((claim) => (
          <Table.Tr key={claim.id}>
            <Table.Th scope="row" fw={400} ta="left" w="40%">
              <ClaimSaid claim={claim} language={reference.language} />
            </Table.Th>
            <Table.Td>
              <Results claim={claim} />
              {claim.remark && <Text size="sm">{claim.remark}</Text>}
            </Table.Td>
            <Table.Td>
              <ClaimBadge verdict={claim.verdict} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Results({ claim }: { claim: PublishedClaim }) {
  const { t } = useTranslation(["references", "common"]);
  const word = useWords();
  const allowed = useAllowed(claim);
  if (claim.how === null || claim.how === undefined) return null;
  const how = word("how", claim.how);
  const sloped =
    claim.how === "slope" &&
    claim.axis &&
    t("per", { per: claim.per?.toLocaleString("en"), axis: word("axis", claim.axis) });
  return (
    <>
      <Text size="sm">
        {labelled(sloped ? bracketed(how, sloped) : how, "")}
        {claim.results.map((result, index) => (
          <span key={`${result.of.join()} ${result.against.join()}`}>
            {index > 0 && t("common:list_separator")}
            <Text
              span
              fw={result.fits ? undefined : 600}
              td={result.fits ? undefined : "underline"}
              title={result.fits ? undefined : t("misfit")}
            >
              {formatQuantity(result.value, shownUnit(claim, result.unit))}
            </Text>
          </span>
        ))}
      </Text>
      <Text size="sm" c="dimmed">
        {allowed}
      </Text>
    </>
  );
}

/** Ratios of two figures are read as 2.9, shares of one as 66 %. */
function shownUnit(claim: PublishedClaim, unit: string): Unit {
  return claim.how === "ratio" || claim.how === "next" ? "count" : (unit as Unit);
}

/** Which results make the claim true. */
function useAllowed(claim: PublishedClaim): string {
  const { t } = useTranslation("references");
  const [first] = claim.results;
  const { least, most, above, below } = claim;
  const said = (value: number) => formatQuantity(value, shownUnit(claim, first?.unit ?? "count"));
  if (least != null && most != null) {
    return t("allowed_between", { least: said(least), most: said(most) });
  }
  if (least != null) return t("allowed_least", { least: said(least) });
  if (most != null) return t("allowed_most", { most: said(most) });
  if (above != null) return t("allowed_above", { above: said(above) });
  if (below != null) return t("allowed_below", { below: said(below) });
  return t("allowed_printed");
}
