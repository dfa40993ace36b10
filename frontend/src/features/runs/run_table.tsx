import { Badge, Box, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Choice, ListTableProps } from "~/list_tools/list";
import { ListHead } from "~/list_tools/list_head";
import { ListRow } from "~/list_tools/list_row";
import { MarkedName } from "~/list_tools/marked_name";
import { SortHeader } from "~/list_tools/sort_header";
import { elapsed } from "~/quantities/elapsed";
import { formatDuration } from "~/quantities/format";
import type { Run } from "~/queries/runs";
import { Age } from "~/ui/age";
import { RunBadge } from "~/ui/badges";
import { AnchorLink } from "~/ui/link";
import { KEPT, Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { CaseBar } from "./case_bar";
import { LabelList } from "./label_list";
import { useNow } from "./use_now";

const MINUTE_MS = 60_000;

/** Runs with where they stand, and which of them are chosen. */
export function RunTable(list: ListTableProps<Run>) {
  const { t } = useTranslation(["runs", "common"]);
  const moving = list.items.some((run) => run.state !== "finished");
  const now = useNow(true, moving ? 1_000 : MINUTE_MS);
  return (
    <WideTable caption={t("common:runs")} captionHidden minWidth={900} stacked dense>
      <ListHead {...list} name={t("run")}>
        <Table.Th>{t("filter_kind")}</Table.Th>
        <Table.Th>{t("clusters")}</Table.Th>
        <Table.Th className={KEPT}>{t("state")}</Table.Th>
        <SortHeader by="time" search={list.search} onChange={list.onChange}>
          {t("started")}
        </SortHeader>
        <Table.Th ta="right">{t("duration")}</Table.Th>
      </ListHead>
      <Table.Tbody>
        {list.items.map((run) => (
          <Row key={run.id} run={run} now={now} choice={list} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Row({ run, now, choice }: { run: Run; now: number; choice: Choice }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const seconds = elapsed(run, now);
  return (
    <ListRow {...choice} id={run.id} name={run.name}>
      {/* What others leave, however long its texts are. */}
      <Table.Th scope="row" fw={400} w="100%" maw={0}>
        <MarkedName thing="run" of={run} after={<LabelList labels={run.labels} />}>
          <AnchorLink
            to="/runs/$runId"
            params={{ runId: run.id }}
            inherit
            fw={600}
            title={run.name}
          >
            {run.name}
          </AnchorLink>
          {run.attempt > 1 && (
            <Text size="xs" c="dimmed">
              {t("attempt", { attempt: run.attempt })}
            </Text>
          )}
        </MarkedName>
        <Answered run={run} />
      </Table.Th>
      <Table.Td>{word("kind", run.kind)}</Table.Td>
      <Table.Td>{listed(run.clusters.map((one) => one.name))}</Table.Td>
      <Table.Td className={KEPT}>
        <Group gap={4}>
          <RunBadge run={run} />
          {run.cancel_requested_at !== null && run.state !== "finished" && (
            <Badge color="orange" variant="light" tt="none">
              {t("cancelling")}
            </Badge>
          )}
          <QueuePlace run={run} />
        </Group>
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <Began run={run} now={now} />
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
        {seconds === null ? "–" : formatDuration(seconds)}
      </Table.Td>
    </ListRow>
  );
}

/** What it answered; until there is an answer, and where there is none, how its cases stand. */
export function Answered({ run }: { run: Pick<Run, "answer" | "progress"> }) {
  const { answer, progress } = run;
  return (
    // Below the name, beside the star.
    <Box pl={32}>
      {answer === null ? (
        <CaseBar run={run} inline />
      ) : (
        <Answer {...answer} failed={progress.failed} />
      )}
    </Box>
  );
}

function Answer({ sentence, caveats, failed }: NonNullable<Run["answer"]> & { failed: number }) {
  const { t } = useTranslation("runs");
  const whole = [sentence, ...caveats].map(({ text }) => text).join("\n");
  return (
    <Group gap={4} wrap="nowrap" c="dimmed" fz="xs" title={whole}>
      {failed > 0 && <span>{t("failed_count", { count: failed })} ·</span>}
      <Text inherit truncate>
        {sentence.text}
      </Text>
      {caveats.length > 0 && (
        <IconAlertTriangle
          size={14}
          style={{ flexShrink: 0 }}
          role="img"
          aria-label={t("caveats", { count: caveats.length })}
        />
      )}
    </Group>
  );
}

/** When it started, or that nobody here started it. */
function Began({
  run,
  now,
}: {
  run: Pick<Run, "kind" | "started_at" | "created_at">;
  now: number;
}) {
  const { t } = useTranslation("runs");
  const imported = run.kind === IMPORT;
  if (run.started_at === null && !imported) {
    return (
      <Text size="sm" c="dimmed">
        {t("not_started")}
      </Text>
    );
  }
  return (
    <Text size="sm">
      <Age at={run.started_at ?? run.created_at} now={now} />
    </Text>
  );
}

/** "Next in the queue of its cluster", and what else it waits for; nothing for one that does not. */
export function QueuePlace({ run }: { run: Pick<Run, "queue_position" | "clusters" | "reason"> }) {
  const { t } = useTranslation("runs");
  if (run.queue_position === null) return null;
  const text =
    run.queue_position === 1
      ? t("queue_next", { count: run.clusters.length })
      : t("queue_at", { position: run.queue_position, count: run.clusters.length });
  return (
    <Text size="sm" c="dimmed">
      {text}
      {run.reason && ` · ${run.reason.text}`}
    </Text>
  );
}

export function RunsSkeleton() {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" role="status" aria-label={t("loading")}>
      {["a", "b", "c", "d", "e"].map((key) => (
        <Skeleton key={key} height={40} />
      ))}
    </Stack>
  );
}
