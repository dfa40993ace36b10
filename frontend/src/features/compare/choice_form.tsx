import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import type { Run } from "~/queries/runs";
import { ProblemAlert } from "~/ui/problem_alert";
import { AlongAxis } from "./along_axis";
import { alongAxis, axesOf, bodyOf, faultsOf } from "./choice";
import { PublishedFields } from "./published_fields";
import { type CompareSearch, MOST_CONTENDERS, type SideChoice } from "./search";
import { Settings } from "./settings";
import { SideFields } from "./side_fields";
import type { ChosenRun } from "./use_chosen_runs";

/** The choice as a form; it is kept in the page's address, so that it can be linked. */
export function ChoiceForm({
  search,
  runs,
  chosen,
  error,
  busy,
  onChange,
  onSubmit,
}: {
  search: CompareSearch;
  runs: Run[];
  chosen: ReadonlyMap<string, ChosenRun>;
  error: Error | null;
  busy: boolean;
  onChange: (next: CompareSearch) => void;
  onSubmit: () => void;
}) {
  const { t } = useTranslation(["comparisons", "compare"]);
  const { baseline, reference, contenders = [] } = search;
  const { at, pointers } = faultsOf(error, contenders.length);
  const base = baseline && chosen.get(baseline.run);
  // What was imported has the metrics of all kinds.
  const kinds = [IMPORT, base?.detail?.kind];
  const any = base?.detail === undefined || base.detail.kind === IMPORT;
  const alike = any ? runs : runs.filter((run) => kinds.includes(run.kind));
  // Beside what was published the first contender is always there to be chosen.
  const sides: (SideChoice | undefined)[] =
    reference !== undefined && contenders.length === 0 ? [undefined] : contenders;
  // A further contender begins as what is there already.
  const added = contenders.at(-1)?.run ?? baseline?.run;
  const put = (place: number, side: SideChoice | undefined) =>
    onChange({
      ...search,
      contenders: sides
        .map((one, index) => (index === place ? side : one))
        .filter((one) => one !== undefined),
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap="md">
        <Title order={2} size="h4">
          {t("own_choice")}
        </Title>
        {reference ? (
          <PublishedFields
            choice={reference}
            at={at}
            onChange={(choice) => onChange({ ...search, reference: choice })}
            onRemove={() => onChange({ ...search, reference: undefined })}
          />
        ) : (
          <SideFields
            legend={t("compare:baseline")}
            side={baseline}
            runs={runs}
            chosen={base}
            at={at}
            pointer="/baseline"
            onChange={(side) => onChange({ ...search, baseline: side })}
          />
        )}
        {baseline && !reference && base?.cases && (
          <AlongAxis
            axes={axesOf(base.cases)}
            onTake={(axis) => onChange({ ...search, ...alongAxis(baseline.run, axis) })}
          />
        )}
        {sides.map((side, place) => (
          <SideFields
            // A contender is known by its place: two may be the same while they are chosen.
            key={`${place + 1}`}
            legend={t("contender_number", { number: place + 1 })}
            side={side}
            runs={alike}
            chosen={side && chosen.get(side.run)}
            at={at}
            pointer={`/contenders/${place}`}
            onChange={(next) => put(place, next)}
            onRemove={side && (() => put(place, undefined))}
          />
        ))}
        {added !== undefined && (
          <Group>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} />}
              disabled={contenders.length >= MOST_CONTENDERS}
              onClick={() => onChange({ ...search, contenders: [...contenders, { run: added }] })}
            >
              {t("add_contender")}
            </Button>
            {contenders.length >= MOST_CONTENDERS && (
              <Text size="sm" c="dimmed">
                {t("no_more_contenders", { most: MOST_CONTENDERS })}
              </Text>
            )}
          </Group>
        )}
        <Settings search={search} at={at} onChange={onChange} />
        {error && <ProblemAlert error={error} shownPointers={pointers} />}
        <Group>
          <Button type="submit" loading={busy} disabled={bodyOf(search) === null}>
            {t("compare")}
          </Button>
          {bodyOf(search) === null && (
            <Text size="sm" c="dimmed">
              {t("needs_both")}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
