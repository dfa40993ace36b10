import { Group, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { newestRunsOptions } from "~/queries/runs";
import { RunBadge } from "~/ui/badges";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Section } from "~/ui/section";

/** The latest runs of the experiment, each with the specification it ran with. */
export function RecentRuns({ experimentId }: { experimentId: string }) {
  const { t } = useTranslation("experiments");
  const runs = useQuery(newestRunsOptions({ experiment_id: experimentId, limit: 10 }));
  return (
    <Section title={t("recent_runs")} framed>
      <Loaded query={runs} lines={2}>
        {({ runs: some }) =>
          some.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t("no_runs")}
            </Text>
          ) : (
            <List listStyleType="none" withPadding={false} spacing="xs">
              {some.map((run) => (
                <List.Item key={run.id}>
                  <Group gap="sm">
                    <AnchorLink to="/runs/$runId" params={{ runId: run.id }} size="sm">
                      <Moment at={run.queued_at} />
                    </AnchorLink>
                    <RunBadge run={run} />
                    <Text size="sm" c="dimmed">
                      {listed(run.clusters.map(({ name }) => name))}
                    </Text>
                  </Group>
                </List.Item>
              ))}
            </List>
          )
        }
      </Loaded>
    </Section>
  );
}
