import { Badge, Text } from "@mantine/core";
import { IconCheck, IconQuestionMark, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { figureOf, textOf } from "~/api/rows";
import type { Schemas, Unit } from "~/api/types";
import { bracketed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { writeFigure, writeInterval } from "~/quantities/format";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { ClaimBadge } from "./claim_badge";
import { ClaimSaid } from "./claim_said";

type OurClaim = Schemas["OurClaim"];

const LOOKS = {
  holds: ["green", IconCheck],
  does_not_hold: ["red", IconX],
  cannot_be_told: ["gray", IconQuestionMark],
} as const;

/** What the source says, what its own figures say of that, and what ours do. */
export function OurClaimsTable({ found }: { found: Schemas["Reproduction"] }) {
  const { t } = useTranslation("reproduction");
  return (
    <WideTable caption={t("our_claims")} minWidth={760} stacked>
      <Table.Head columns={[t("claim"), t("source_says"), t("our_figures"), t("verdict")]} />
      <Table.Tbody>
        {found.claims.map((claim) => (
          <Table.Tr key={claim.id}>
            <Table.Th scope="row" fw={400} ta="left" w="36%">
              <ClaimSaid claim={{ ...claim, said: claim.said.text }} language={found.language} />
            </Table.Th>
            <Table.Td>
              <ClaimBadge verdict={claim.published} />
            </Table.Td>
            <Table.Td>
              <Results claim={claim} />
            </Table.Td>
            <Table.Td>
              <Verdict claim={claim} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Verdict({ claim }: { claim: OurClaim }) {
  const { t } = useTranslation("reproduction");
  const word = useWords();
  const [color, Icon] = LOOKS[claim.verdict];
  const { asked, results } = claim;
  return (
    <>
      <Badge color={color} variant="light" leftSection={<Icon size={12} />} tt="none">
        {word("our_verdict", claim.verdict)}
      </Badge>
      {claim.why_not && <Text size="sm">{word("why_not_told", claim.why_not)}</Text>}
      {results.length > 0 && results.length < asked && (
        <Text size="sm" c="dimmed">
          {t("of_asked", { measured: results.length, asked })}
        </Text>
      )}
    </>
  );
}

/** What the claim computes, of our figures, each with its interval and the comparison's verdict. */
function Results({ claim }: { claim: OurClaim }) {
  const { t } = useTranslation("reproduction");
  const word = useWords();
  if (claim.how == null || claim.results.length === 0) return null;
  // Ratios of two figures are read as 2.9, shares of one as 66 %.
  const times = claim.how === "ratio" || claim.how === "next";
  const comparison = (verdict: string) =>
    t("comparison_says", { verdict: word("verdict", verdict) });
  return (
    <>
      <Text size="sm" c="dimmed">
        {word("how", claim.how)}
      </Text>
      {claim.results.map((one) => {
        const unit = (times ? "count" : one.key.unit) as Unit;
        const result = figureOf(one);
        const figure = result && writeFigure(result, unit);
        const interval = figure && writeInterval(figure);
        const value = figure ? figure.value : t("none");
        const said = interval ? `${value} ${interval}` : value;
        return (
          <Text key={`${textOf(one, "of")} ${textOf(one, "against")}`} size="sm">
            {one.verdict ? bracketed(said, comparison(one.verdict)) : said}
          </Text>
        );
      })}
    </>
  );
}
