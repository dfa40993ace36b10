import { Badge, Button, Chip, Code, Group, Stack, Text } from "@mantine/core";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { AxisValue } from "~/api/types";
import { useExplained } from "~/i18n/explained";
import { useWords } from "~/i18n/words";
import type { Axis } from "~/queries/kinds";
import { FieldGroup } from "./field_group";
import { NumbersInput } from "./numbers_input";
import { PairsField } from "./pairs_field";
import { axisValues } from "./typed";

interface AxisFieldProps {
  axis: Axis;
  /** The value in the document; undefined if the axis is not given. */
  value: unknown;
  error: string | undefined;
  /** The names that an axis of clusters can take. */
  clusterNames: readonly string[];
  /** Why the chosen clusters cannot have a value of it, by value; what they can is not in it. */
  impossible: ReadonlyMap<string, string>;
  /** Whether it is the quick profile that fills in what is not given. */
  quick: boolean;
  onChange: (values: AxisValue[] | undefined) => void;
}

/** The values of one axis: chips where there are words to choose from, else numbers, or pairs. */
export function AxisField({
  axis,
  value,
  error,
  clusterNames,
  impossible,
  quick,
  onChange,
}: AxisFieldProps) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const label = word("axis", axis.name);
  const given = axisValues(value);
  const standard = (quick && axis.quick?.length ? axis.quick : axis.default) ?? [];
  const isGiven = value !== undefined;
  const words = axis.scope === "cluster" ? clusterNames : (axis.choices ?? []);
  const numbers = words.length === 0 && axis.scope !== "cluster";

  return (
    <FieldGroup
      label={label}
      description={explained("axis_description", axis.name, axis.description)}
      error={error}
      aside={
        <>
          {axis.scope === "cluster_mode" && (
            <Badge size="sm" variant="light" color="orange" tt="none">
              {t("switches_cluster")}
            </Badge>
          )}
          {isGiven ? (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => onChange(undefined)}
              aria-label={t(standard.length > 0 ? "reset_axis_default" : "reset_axis_out", {
                axis: label,
              })}
            >
              {t(standard.length > 0 ? "use_default" : "leave_out")}
            </Button>
          ) : (
            <Text size="xs" c="dimmed">
              {t(standard.length > 0 || axis.role === "pair" ? "is_default" : "is_left_out")}
            </Text>
          )}
        </>
      }
    >
      {given === null ? (
        <InYamlOnly value={value} />
      ) : axis.role === "pair" ? (
        <PairsField
          label={label}
          words={words}
          chosen={given}
          invalid={error !== undefined}
          onChange={onChange}
        />
      ) : numbers ? (
        <NumbersInput
          label={label}
          values={isGiven ? given : standard}
          placeholder={numberRange(axis)}
          invalid={error !== undefined}
          onChange={(values) =>
            onChange(values.length > 0 || standard.length > 0 ? values : undefined)
          }
        />
      ) : (
        <Words
          words={words}
          chosen={isGiven ? given : standard}
          impossible={impossible}
          none={t("no_clusters")}
          onChange={(values) =>
            onChange(values.length > 0 || standard.length > 0 ? values : undefined)
          }
        />
      )}
    </FieldGroup>
  );
}

/** What no field can show is shown as it is, and changed where it was written. */
export function InYamlOnly({ value }: { value: unknown }) {
  const { t } = useTranslation("experiments");
  return (
    <Group gap="xs">
      <Code>{JSON.stringify(value)}</Code>
      <Text size="xs" c="dimmed">
        {t("in_yaml_only")}
      </Text>
    </Group>
  );
}

function Words({
  words,
  chosen,
  impossible,
  none,
  onChange,
}: {
  words: readonly string[];
  chosen: readonly AxisValue[];
  impossible: ReadonlyMap<string, string>;
  none: string;
  onChange: (values: AxisValue[]) => void;
}) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const why = useId();
  const unknown = chosen.filter((value) => !words.includes(String(value)));
  const all: AxisValue[] = [...words, ...unknown];
  if (all.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  }
  const reasons = all.flatMap((value) => {
    const reason = impossible.get(String(value));
    return reason === undefined ? [] : [{ value, reason }];
  });
  return (
    <>
      <Group gap={6}>
        {all.map((value) => (
          <Chip
            key={String(value)}
            size="xs"
            // What was chosen before the cluster was can be taken back.
            disabled={impossible.has(String(value)) && !chosen.includes(value)}
            aria-describedby={impossible.has(String(value)) ? why : undefined}
            checked={chosen.includes(value)}
            onChange={(checked) =>
              onChange(checked ? [...chosen, value] : chosen.filter((other) => other !== value))
            }
          >
            {word("axis_value", value)}
          </Chip>
        ))}
      </Group>
      {reasons.length > 0 && (
        <Stack gap={2} mt={6} id={why}>
          {reasons.map(({ value, reason }) => (
            <Text key={String(value)} size="xs" c="dimmed">
              {t("not_on_cluster", { value: word("axis_value", value), reason })}
            </Text>
          ))}
        </Stack>
      )}
    </>
  );
}

function numberRange({ minimum, maximum }: Axis): string {
  return minimum == null || maximum == null ? "" : `${minimum} – ${maximum}`;
}
