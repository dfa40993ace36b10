import { Button, Fieldset, Group, NativeSelect, Select, SimpleGrid, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { AxisValue, Point } from "~/api/types";
import { useWords } from "~/i18n/words";
import type { Case, Run } from "~/queries/runs";
import { useMomentText } from "~/ui/moment";
import { usePointText } from "~/ui/point_text";
import { ProblemAlert } from "~/ui/problem_alert";
import { type AxisValues, axesOf, casesOn } from "./choice";
import type { SideChoice } from "./search";
import type { ChosenRun } from "./use_chosen_runs";

interface Props {
  legend: string;
  side: SideChoice | undefined;
  /** What is offered; the chosen one besides, if it is not among them. */
  runs: Run[];
  chosen: ChosenRun | undefined;
  /** What the API said of fields, by their pointers. */
  at: (...pointers: string[]) => string | undefined;
  pointer: string;
  onChange: (side: SideChoice) => void;
  onRemove?: () => void;
}

/** One side: a run, then which part of it. */
export function SideFields({ legend, side, runs, chosen, at, pointer, onChange, onRemove }: Props) {
  const { t } = useTranslation("comparisons");
  const runText = useRunText();
  const offered =
    chosen?.detail && !runs.some((run) => run.id === chosen.detail?.id)
      ? [chosen.detail, ...runs]
      : runs;
  const whole = at(pointer);
  return (
    <Fieldset legend={legend} miw={0}>
      <Group align="flex-start" wrap="nowrap">
        <Select
          label={t("run")}
          placeholder={t("choose_run")}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t("no_such_run")}
          data={offered.map((run) => ({ value: run.id, label: runText(run) }))}
          value={side?.run ?? null}
          onChange={(run) => run !== null && onChange({ run })}
          error={at(`${pointer}/run_id`)}
          style={{ flex: 1, minWidth: 0 }}
        />
        {onRemove && (
          <Button
            mt={25}
            variant="default"
            px="xs"
            onClick={onRemove}
            aria-label={t("remove", { side: legend })}
          >
            <IconX size={16} />
          </Button>
        )}
      </Group>
      {chosen?.error && <ProblemAlert error={chosen.error} />}
      {side && chosen?.cases && (
        <Part
          side={side}
          cases={chosen.cases}
          whereFault={at(`${pointer}/where`)}
          caseFault={at(`${pointer}/case_id`)}
          onChange={onChange}
        />
      )}
      {whole && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs" role="alert">
          {whole}
        </Text>
      )}
    </Fieldset>
  );
}

/** Which part of a run: values on its axes, or one case of those that are left. */
function Part({
  side,
  cases,
  whereFault,
  caseFault,
  onChange,
}: {
  side: SideChoice;
  cases: Case[];
  whereFault: string | undefined;
  caseFault: string | undefined;
  onChange: (side: SideChoice) => void;
}) {
  const { t } = useTranslation(["comparisons", "compare"]);
  const point = usePointText();
  const axes = axesOf(cases);
  const names = axes.map((one) => one.axis);
  const left = casesOn(cases, side.where);
  if (axes.length === 0) return null;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mt="sm" verticalSpacing="xs">
        {axes.map((one) => (
          <AxisField
            key={one.axis}
            axis={one}
            where={side.where}
            onWhere={(where) => onChange({ run: side.run, where })}
          />
        ))}
      </SimpleGrid>
      {whereFault && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs" role="alert">
          {whereFault}
        </Text>
      )}
      <Select
        mt="sm"
        label={t("compare:case")}
        placeholder={t("all_cases", { count: left.length })}
        searchable
        clearable
        clearButtonProps={{ "aria-label": t("all_cases", { count: left.length }) }}
        nothingFoundMessage={t("no_such_case")}
        data={left.map((one) => ({ value: String(one.id), label: point(one.point, names) }))}
        value={side.case === undefined ? null : String(side.case)}
        onChange={(id) =>
          onChange({ run: side.run, where: side.where, case: id === null ? undefined : Number(id) })
        }
        error={caseFault}
      />
    </>
  );
}

/** Picks one value of an axis, or leaves all. */
export function AxisField({
  axis: { axis, values },
  where: picks = {},
  onWhere,
}: {
  axis: AxisValues;
  where: Point | undefined;
  onWhere: (where: Point | undefined) => void;
}) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  const current = picks[axis];
  // A link may name a value that the run does not have: it stays, for the API to refuse.
  const offered = current === undefined || values.includes(current) ? values : [...values, current];
  const picked = current === undefined ? -1 : offered.indexOf(current);
  const pick = (value: AxisValue | undefined) => {
    const { [axis]: _, ...others } = picks;
    const where = value === undefined ? others : { ...others, [axis]: value };
    onWhere(Object.keys(where).length > 0 ? where : undefined);
  };
  return (
    <NativeSelect
      label={word("axis", axis)}
      value={picked < 0 ? "" : picked}
      onChange={(event) => {
        const { value } = event.currentTarget;
        pick(value === "" ? undefined : offered[Number(value)]);
      }}
      data={[
        { value: "", label: t("all_values") },
        ...offered.map((value, index) => ({
          value: String(index),
          label: word("axis_value", value),
        })),
      ]}
    />
  );
}

/** A run in one line; runs of one experiment differ by when they were made. */
function useRunText(): (run: Run) => string {
  const word = useWords();
  const moment = useMomentText();
  return (run) =>
    [
      run.name,
      word("kind", run.kind),
      moment(run.created_at),
      run.outcome === null ? word("run_state", run.state) : word("outcome", run.outcome),
    ].join(" · ");
}
