import { Group, List, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Point, Schemas } from "~/api/types";
import { labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { VerdictBadge } from "./badges";
import { useFieldText } from "./field_text";
import { AnchorLink } from "./link";
import { usePointText } from "./point_text";

/** Verdicts that one run reached and a later one turned; each leads to what the later one found. */
export function TurnedVerdicts({
  turns,
  runId,
}: {
  turns: Schemas["VerdictChanges"];
  runId: string;
}) {
  const { t } = useTranslation("changes");
  const word = useWords();
  const pointText = usePointText();
  if (turns.both === 0) return null;
  return (
    <>
      {turns.turned.length > 0 && (
        <List listStyleType="none" withPadding={false} spacing={6} size="sm">
          {turns.turned.map(({ key, code, verdict, parameters }) => (
            <List.Item key={JSON.stringify([code, key])}>
              <Group gap={6}>
                <VerdictBadge verdict={String(parameters?.before)} />
                <IconArrowRight size={14} aria-label={t("now")} />
                <VerdictBadge verdict={verdict ?? ""} />
                <AnchorLink
                  size="sm"
                  to="/runs/$runId"
                  params={{ runId }}
                  search={{ tab: "results" }}
                >
                  {t("turned", {
                    metric: [word("metric", key.metric), key.subject].filter(Boolean).join(" "),
                    point: pointText(key.point),
                    against: pointText(apart(key.against ?? {}, key.point)),
                  })}
                </AnchorLink>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" c="dimmed">
        {t("turned_of", {
          count: turns.both,
          turned: turns.turned.length,
          undecided: turns.undecided,
        })}
      </Text>
    </>
  );
}

/** So many fields are shown at once. */
const MOST = 12;

/** Fields that differ, with what stood before and what does now. */
export function EnvironmentChanges({
  differences,
}: {
  differences: readonly Schemas["FieldDifference"][];
}) {
  const { t } = useTranslation("changes");
  const fieldText = useFieldText();
  return (
    <List listStyleType="none" withPadding={false} spacing={2} size="sm">
      {differences.slice(0, MOST).map((one) => (
        <List.Item key={one.field + JSON.stringify([one.baseline, one.contender])}>
          {labelled(fieldText(one.field), recorded(one.baseline) ?? t("unseen"))}{" "}
          <IconArrowRight size={12} aria-label={t("now")} />{" "}
          {recorded(one.contender) ?? t("unseen")}
        </List.Item>
      ))}
      {differences.length > MOST && (
        <List.Item>
          <Text size="sm" c="dimmed">
            {t("more_fields", { count: differences.length - MOST })}
          </Text>
        </List.Item>
      )}
    </List>
  );
}

/** Links to the earlier run, to the comparison of both, and to the later run's environment. */
export function ChangesLinks(props: { since: string; run: string; environment?: boolean }) {
  const { since, run, environment = true } = props;
  const { t } = useTranslation("changes");
  const compared = { baseline: { run: since }, contenders: [{ run }] };
  return (
    <Group gap="md">
      <AnchorLink size="sm" to="/runs/$runId" params={{ runId: since }}>
        {t("earlier_run")}
      </AnchorLink>
      <AnchorLink size="sm" to="/compare" search={compared}>
        {t("compare")}
      </AnchorLink>
      {environment && <EnvironmentLink run={run} text={t("to_environment")} />}
    </Group>
  );
}

export function EnvironmentLink({ run, text }: { run: string; text: string }) {
  return (
    <AnchorLink size="sm" to="/runs/$runId" params={{ runId: run }} search={{ tab: "environment" }}>
      {text}
    </AnchorLink>
  );
}

/** What of a point is another than in the point beside it. */
function apart(point: Point, other: Point): Point {
  return Object.fromEntries(Object.entries(point).filter(([axis, at]) => other[axis] !== at));
}

function recorded(value: Schemas["JsonValue"]): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
