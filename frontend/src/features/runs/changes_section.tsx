import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { changeOf } from "~/comparison_view/model/charts";
import { labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { writeChange, writeInterval } from "~/quantities/format";
import { changesOptions, newestRunsOptions, type RunDetail } from "~/queries/runs";
import { VerdictBadge } from "~/ui/badges";
import { ChangesLinks, EnvironmentChanges, TurnedVerdicts } from "~/ui/changes";
import { Loaded } from "~/ui/loaded";
import { useMomentText } from "~/ui/moment";
import { usePointText } from "~/ui/point_text";
import { Section } from "~/ui/section";
import { useSearchState } from "~/ui/use_search_state";

/** What changed since an earlier run of the same experiment; the one before, or one chosen. */
export function ChangesSection({ run }: { run: RunDetail }) {
  const { t } = useTranslation("changes");
  const { since } = useSearch({ from: "/inside/runs/$runId" });
  const changes = useQuery(changesOptions(run.id, since));
  const first = changes.data?.since === null && since === undefined;
  if (first || (changes.isPending && since === undefined)) return null;
  return (
    <Section title={t("title")} more={<SinceField run={run} />} framed>
      <Loaded query={changes}>{(found) => <Found changes={found} />}</Loaded>
    </Section>
  );
}

function Found({ changes }: { changes: Schemas["RunChanges"] }) {
  const { t } = useTranslation("changes");
  const { run, since, turns, environment, moved } = changes;
  if (since === null) return null;
  const same = turns.turned.length === 0 && environment.length === 0 && !moved?.figures.length;
  return (
    <Stack gap="sm">
      <TurnedVerdicts turns={turns} runId={run.run_id} />
      {turns.both === 0 && (
        <Text size="sm" c="dimmed">
          {t("nothing_in_common")}
        </Text>
      )}
      {environment.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            {t("environment")}
          </Text>
          <EnvironmentChanges differences={environment} />
        </div>
      )}
      {moved && <FigureChanges moved={moved} />}
      {same && turns.both > 0 && <Text size="sm">{t("nothing")}</Text>}
      <ChangesLinks since={since.run_id} run={run.run_id} />
    </Stack>
  );
}

/** What the comparison of the two decides, if it does. */
function FigureChanges({ moved }: { moved: Schemas["Moved"] }) {
  const { t } = useTranslation("changes");
  const word = useWords();
  const { better, worse, same, undecided } = moved.tally;
  const judged = better + worse + same + undecided;
  if (moved.gate === "refused") return <Text size="sm">{t("not_comparable")}</Text>;
  if (moved.figures.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t(moved.noise_floor ? "none_moved" : "no_floor", { count: judged })}
      </Text>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600}>
        {t("moved")}
      </Text>
      <Stack gap={4}>
        {moved.figures.map((one) => (
          <MovedLine key={JSON.stringify(one.key)} one={one} />
        ))}
      </Stack>
      <Text size="sm" c="dimmed">
        {labelled(word("verdict", "same"), String(same))} ·{" "}
        {labelled(word("verdict", "undecided"), String(undecided))}
      </Text>
    </div>
  );
}

function MovedLine({ one }: { one: Schemas["Projected"] }) {
  const word = useWords();
  const pointText = usePointText();
  const { key, code, value, low, high } = one;
  const ratio = code === "ratio" && value !== null && { value, low, high };
  const written = ratio && writeChange(changeOf(ratio));
  const interval = written && writeInterval(written);
  const what = [word("metric", key.metric), key.subject, pointText(key.point)]
    .filter(Boolean)
    .join(" · ");
  return (
    <Group gap={6}>
      <VerdictBadge verdict={one.verdict ?? ""} />
      <Text size="sm">
        {written ? labelled(what, interval ? `${written.value} ${interval}` : written.value) : what}
      </Text>
    </Group>
  );
}

/** Since which of the experiment's other runs. */
function SinceField({ run }: { run: RunDetail }) {
  const { t } = useTranslation("changes");
  const [{ since }, change] = useSearchState("/inside/runs/$runId");
  const momentText = useMomentText();
  const others = useQuery({
    ...newestRunsOptions({
      experiment_id: run.experiment_id ?? undefined,
      state: ["finished"],
      outcome: ["succeeded", "partial"],
      kind: run.kind,
      limit: 50,
    }),
    enabled: run.experiment_id !== null,
  });
  const offered = (others.data?.runs ?? []).filter(({ id }) => id !== run.id);
  if (offered.length < 2 && since === undefined) return null;
  return (
    <NativeSelect
      size="xs"
      className="on-screen"
      label={t("since")}
      value={since ?? ""}
      onChange={(event) => change({ since: event.currentTarget.value || undefined })}
      data={[
        { value: "", label: t("the_one_before") },
        ...offered.map((one) => ({
          value: one.id,
          label: `${momentText(one.finished_at ?? one.created_at)} ${one.clusters
            .map(({ name }) => name)
            .join(", ")}`,
        })),
      ]}
    />
  );
}
