import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison, Contender, Schemas } from "~/api/types";
import { listed } from "~/i18n/punctuation";
import { GateBadge, VerdictBadge } from "~/ui/badges";
import { Columns } from "~/ui/columns";
import { Moment } from "~/ui/moment";
import { GateReport } from "./gate";
import { linked, type RenderLink } from "./links";
import type { Side, Sides } from "./model/sides";
import { useRenderRepeat } from "./repeat";
import { VERDICTS } from "./view";

/** Every contender: whether it may be compared, and how often it is what. */
export const Contenders = memo(function Contenders({
  comparison,
  sides,
  renderLink,
}: {
  comparison: Comparison;
  sides: Sides;
  renderLink?: RenderLink;
}) {
  const { t } = useTranslation("compare");
  const several = comparison.contenders.length > 1;
  return (
    <section aria-labelledby="contenders">
      <Title order={2} size="h4" id="contenders" mb="sm">
        {t("contenders")}
      </Title>
      <Columns several={several}>
        {sides.contenders.map((side, place) => {
          const contender = comparison.contenders[place];
          // A side's place is its identity: two may be of one run.
          const key = `${place}`;
          return contender === undefined ? null : (
            <Card key={key} contender={contender} side={side} renderLink={renderLink} />
          );
        })}
      </Columns>
    </section>
  );
});

function Card({
  contender,
  side,
  renderLink,
}: {
  contender: Contender;
  side: Side;
  renderLink?: RenderLink;
}) {
  const renderRepeat = useRenderRepeat();
  const refused = contender.gate.verdict === "refused";
  return (
    <Paper withBorder p="md" component="article" miw={0}>
      <Stack gap="xs">
        <Group gap="sm">
          <Title order={3} size="h5">
            {side.short}
          </Title>
          <GateBadge verdict={contender.gate.verdict} />
        </Group>
        <Text size="sm" c="dimmed">
          {linked(renderLink, side, side.full)}
          {" · "}
          {listed(side.run.clusters)}
          {" · "}
          {side.run.created_at && <Moment at={side.run.created_at} />}
        </Text>
        {!refused && <TallyLine tally={contender.tally} />}
        {contender.next_run &&
          side.run.run_id &&
          renderRepeat?.({ runId: side.run.run_id, changes: contender.next_run })}
        <GateReport contender={contender} side={side} />
      </Stack>
    </Paper>
  );
}

function TallyLine({ tally }: { tally: Schemas["Tally"] }) {
  const { t } = useTranslation("compare");
  return (
    <Group
      gap="xs"
      component="ul"
      p={0}
      m={0}
      style={{ listStyle: "none" }}
      aria-label={t("tally")}
    >
      {VERDICTS.map((verdict) => (
        <Group key={verdict} component="li" gap={4} wrap="nowrap">
          <Text size="sm" fw={600}>
            {tally[verdict]}
          </Text>
          <VerdictBadge verdict={verdict} />
        </Group>
      ))}
    </Group>
  );
}
