import { Anchor, List, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Arm, type Effect, limitsOf, numberOf, textOf, warningsOf } from "~/api/rows";
import type { Schemas } from "~/api/types";
import { ClientAtLimit } from "~/charts/report/client_at_limit";
import { OnPairs } from "~/charts/report/decided";
import { SameLimit } from "~/charts/report/same_limit";
import { bracketed, clauses, labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatP, formatQuantity, scaleOf } from "~/quantities/format";
import { Table } from "~/ui/table";
import { linked, type RenderLink } from "./links";
import { unitOf } from "./model/metrics";
import type { Side, Sides } from "./model/sides";
import { Rounds } from "./rounds";
import { useNoteText } from "./use_words";

interface Props {
  pair: Schemas["Pair"];
  effect: Effect;
  sides: Sides;
  place: number;
  renderLink?: RenderLink;
}

/** What a verdict rests on: its reason, its warnings, every counted trial by round. */
export function RowDetails({ pair, effect, sides, place, renderLink }: Props) {
  const { t } = useTranslation(["compare", "charts"]);
  const word = useWords();
  const noteText = useNoteText();
  const contender = sides.contenders[place];
  const { ratio } = effect;
  const [p, leastP, agreementP, adjustedP] = (
    ["p", "least_p", "agreement_p", "adjusted_p"] as const
  ).map((name) => numberOf(ratio, name));
  const [level, count] = [textOf(ratio, "level"), numberOf(ratio, "looked_at") ?? 1];
  const uncounted = textOf(ratio, "not_counted");
  const warnings = warningsOf(ratio);
  const limits = limitsOf(ratio);
  const leastText = (least: number) =>
    agreementP == null
      ? t("least_p", { least: formatP(least) })
      : t("agreement", { p: formatP(agreementP), least: formatP(least) });
  return (
    <Stack gap="xs" maw="min(60rem, 90vw)">
      <Text size="sm">
        {labelled(
          word("verdict", ratio.verdict ?? ""),
          clauses(
            bracketed(
              word("reason", textOf(ratio, "reason")),
              word("direction", ratio.key.direction),
            ),
            p == null
              ? undefined
              : t("test", { p: formatP(p), method: word("method", textOf(ratio, "method")) }),
          ),
        )}{" "}
        <Anchor href="/method" size="sm" underline="always">
          {t("charts:how_verdicts")}
        </Anchor>
      </Text>
      <List size="sm">
        {level !== "" && <List.Item>{word("level", level)}</List.Item>}
        {uncounted !== "" && <List.Item>{word("not_counted", uncounted)}</List.Item>}
        <OnPairs row={ratio} />
        <SameLimit effect={effect} />
        {leastP != null && <List.Item>{leastText(leastP)}</List.Item>}
        {adjustedP != null && count > 1 && (
          <List.Item>{t("corrected", { count, p: formatP(adjustedP) })}</List.Item>
        )}
        {limits !== null && (
          <List.Item>
            {t("charts:decided.limited", {
              baseline: sides.baseline.short,
              contender: contender?.short ?? "",
              first: word("limited_by", limits[0]),
              second: word("limited_by", limits[1]),
            })}
          </List.Item>
        )}
        <ClientAtLimit row={ratio} sides={[sides.baseline.short, contender?.short ?? ""]} />
      </List>
      {warnings.length > 0 && (
        <List size="sm">
          {warnings.map((note) => (
            <List.Item key={note.code}>{noteText(note)}</List.Item>
          ))}
        </List>
      )}
      {sides.baseline.run.run_id && (
        <Rounds effect={effect} runId={sides.baseline.run.run_id} sides={sides} place={place} />
      )}
      <Table fz="sm" verticalSpacing={2} captionSide="top" withRowBorders={false}>
        <Table.Caption ta="start" mb={0}>
          {t("every_trial")}
        </Table.Caption>
        <Table.Tbody>
          <Trials
            side={sides.baseline}
            ref_={pair.baseline}
            arm={effect.baseline}
            {...{ effect, renderLink }}
          />
          {contender && (
            <Trials
              side={contender}
              ref_={pair.contender}
              arm={effect.contender}
              {...{ effect, renderLink }}
            />
          )}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

/** One side's trials; all in one scale, so that they can be read against each other. */
function Trials({
  side,
  ref_,
  arm,
  effect,
  renderLink,
}: {
  side: Side;
  ref_: Schemas["CaseRef"];
  arm: Arm;
  effect: Effect;
  renderLink?: RenderLink;
}) {
  const { t } = useTranslation("compare");
  const unit = unitOf(effect);
  const scale = scaleOf(arm.median.value ?? 0, unit);
  const value = (one: number) => formatQuantity(one, unit, { ...scale, symbol: "" });
  return arm.values.map((round, index) => (
    <Table.Tr key={`${index + 1}`}>
      {index === 0 && (
        <Table.Th scope="rowgroup" rowSpan={arm.values.length} style={{ verticalAlign: "top" }}>
          {linked(renderLink, side, side.short, ref_.case_id)}
        </Table.Th>
      )}
      <Table.Td style={{ whiteSpace: "nowrap", verticalAlign: "top" }}>
        {t("round", { round: index + 1 })}
      </Table.Td>
      <Table.Td>
        {round.length === 0
          ? t("no_trials_in_round")
          : `${round.map(value).join("  ")} ${scale.symbol}`}
      </Table.Td>
    </Table.Tr>
  ));
}
