import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { elapsed } from "~/quantities/elapsed";
import { formatDuration } from "~/quantities/format";
import type { Run } from "~/queries/runs";
import { RunBadge } from "~/ui/badges";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { KEPT, Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** The latest runs that ended, with how they ended. */
export function FinishedRuns({ runs }: { runs: Run[] }) {
  const { t } = useTranslation("overview");
  return (
    <WideTable caption={t("finished")} captionHidden minWidth={720} stacked>
      <Table.Head
        columns={[
          t("run"),
          { label: t("outcome"), className: KEPT },
          t("cluster"),
          t("ended"),
          t("took"),
        ]}
      />
      <Table.Tbody>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Row({ run }: { run: Run }) {
  const word = useWords();
  const reason = run.reason?.text;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <AnchorLink to="/runs/$runId" params={{ runId: run.id }} inherit>
          {run.name}
        </AnchorLink>
        <Text size="xs" c="dimmed">
          {word("kind", run.kind)}
        </Text>
        {reason && (
          <Text size="xs" c="dimmed" maw={360} lineClamp={2} title={reason}>
            {reason}
          </Text>
        )}
      </Table.Th>
      <Table.Td className={KEPT}>
        <RunBadge run={run} />
      </Table.Td>
      <Table.Td>{listed(run.clusters.map(({ name }) => name))}</Table.Td>
      <Table.Td>{run.finished_at && <Moment at={run.finished_at} />}</Table.Td>
      <Table.Td>{took(run)}</Table.Td>
    </Table.Tr>
  );
}

function took(run: Run): string {
  const seconds = elapsed(run, Date.now());
  return seconds === null ? "" : formatDuration(seconds);
}
