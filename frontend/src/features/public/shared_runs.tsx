import { Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { RunBadge } from "~/ui/badges";
import { Headline } from "~/ui/headline";
import { Moment } from "~/ui/moment";

type SharedRun = Schemas["SharedRun"];

/** Runs that ended, each with what it found. */
export function SharedRuns({ runs, complete = true }: { runs: SharedRun[]; complete?: boolean }) {
  const { t } = useTranslation("shared");
  return (
    <Stack component="section" gap="lg" aria-labelledby="runs">
      <Title order={2} size="h3" id="runs">
        {t("latest")}
      </Title>
      {runs.length === 0 && <Text size="sm">{t("none_ended")}</Text>}
      {runs.map((run, place) => (
        <OneRun key={run.run_id} run={run} place={place + 1} />
      ))}
      {!complete && (
        <Text size="sm" c="dimmed">
          {t("not_all")}
        </Text>
      )}
    </Stack>
  );
}

/** Runs may be called alike: their place tells what was found of each apart. */
function OneRun({ run, place }: { run: SharedRun; place: number }) {
  const { t } = useTranslation("shared");
  const word = useWords();
  const outcome = run.outcome as Schemas["Outcome"] | null;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Title order={3} size="h5">
          {run.name}
        </Title>
        <RunBadge run={{ state: "finished", outcome }} />
      </Group>
      <Text size="sm" c="dimmed">
        {word("kind", run.kind)} · {t("measured_on", { clusters: listed(run.clusters) })}
        {run.finished_at && (
          <>
            {" · "}
            <Moment at={run.finished_at} />
          </>
        )}
      </Text>
      {run.headline ? (
        <Headline headline={run.headline} of={`${place}. ${run.name}`} />
      ) : (
        <Text size="sm">{t("nothing_found")}</Text>
      )}
    </Stack>
  );
}
