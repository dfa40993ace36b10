import { Checkbox, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { logOptions, type RunDetail } from "~/queries/runs";
import { Loaded } from "~/ui/loaded";
import { useSearchState } from "~/ui/use_search_state";
import { linesFor, whyNoLines } from "./log_filter";
import { LogLines } from "./log_lines";
import { LEVELS, readRunSearch } from "./search";

/** The run's log, oldest line first. */
export function LogTab({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const [search, change] = useSearchState("/inside/runs/$runId");
  const log = useQuery(logOptions(run.id));
  const follow = search.follow !== false;

  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label={t("level")}
          value={search.level ?? ""}
          onChange={(event) =>
            change({ level: readRunSearch({ level: event.currentTarget.value }).level })
          }
          data={[
            { value: "", label: t("all_levels") },
            ...LEVELS.map((level) => ({ value: level, label: t(`level_${level}`) })),
          ]}
        />
        {run.attempt > 1 && (
          <NativeSelect
            label={t("attempt_short")}
            value={String(search.attempt ?? "")}
            onChange={(event) =>
              change({ attempt: Number(event.currentTarget.value) || undefined })
            }
            data={[
              { value: "", label: t("all_attempts") },
              ...Array.from({ length: run.attempt }, (_, index) => ({
                value: String(index + 1),
                label: t("attempt", { attempt: index + 1 }),
              })),
            ]}
          />
        )}
        <TextInput
          label={t("filter_text")}
          type="search"
          value={search.q ?? ""}
          onChange={(event) => change({ q: event.currentTarget.value || undefined })}
          style={{ flex: "1 1 12rem", maxWidth: "24rem" }}
        />
        <Checkbox
          label={t("follow")}
          checked={follow}
          onChange={(event) => change({ follow: event.currentTarget.checked ? undefined : false })}
          pb={8}
        />
      </Group>
      <Loaded query={log} lines={10}>
        {(found) => {
          const lines = linesFor(found.items, search);
          return (
            <>
              <Text size="sm" c="dimmed">
                {t("lines_of", { count: found.items.length, shown: lines.length })}
              </Text>
              {lines.length === 0 ? (
                <Text>{t(whyNoLines(found.items, run))}</Text>
              ) : (
                <LogLines lines={lines} follow={follow} attempts={run.attempt > 1} />
              )}
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}
