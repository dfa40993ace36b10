import { Chip, Group, NumberInput, Pill, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { AxisValue } from "~/api/types";
import { useWords } from "~/i18n/words";
import { ALL, SAMPLE, sampleSize } from "./pairs";

/** As many pairs as a sample begins with, where nobody has said how many. */
const FIRST_SAMPLE = 20;
const MOST = 2000;

interface PairsFieldProps {
  label: string;
  /** The words that stand for pairs which the cluster decides. */
  words: readonly string[];
  /** The value in the document; nothing is the first word. */
  chosen: readonly AxisValue[];
  invalid: boolean;
  onChange: (values: AxisValue[] | undefined) => void;
}

/** Which pairs of nodes: a selector, the size of a sample, or named pairs. */
export function PairsField({ label, words, chosen, invalid, onChange }: PairsFieldProps) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const [first] = words;
  const [only] = chosen;
  const size = chosen.length === 1 ? sampleSize(only) : null;
  const named = chosen.length > 0 && size === null && !words.includes(String(only));
  // A kind that only rotates has no pairs as cases.
  const measuresPairs = words.includes(ALL);
  const value = size !== null ? SAMPLE : named ? "" : String(only ?? first);
  const choose = (next: string | null) => {
    if (next === null || next === first) onChange(undefined);
    else onChange([next === SAMPLE ? `${SAMPLE}${FIRST_SAMPLE}` : next]);
  };
  return (
    <Stack gap="xs">
      <Chip.Group value={value} onChange={choose}>
        <Group gap={6} role="radiogroup" aria-label={label}>
          {words.map((one) => (
            <Chip key={one} value={one} size="xs">
              {word("axis_value", one)}
            </Chip>
          ))}
          {measuresPairs && (
            <Chip value={SAMPLE} size="xs">
              {t("pairs_sample")}
            </Chip>
          )}
        </Group>
      </Chip.Group>
      {size !== null && (
        <NumberInput
          label={t("pairs_size")}
          value={size}
          min={1}
          max={MOST}
          allowDecimal={false}
          allowNegative={false}
          error={invalid}
          onChange={(typed) => {
            const count = Number(typed);
            // While nothing is typed, what stood there stands.
            if (Number.isInteger(count) && count > 0) onChange([`${SAMPLE}${count}`]);
          }}
          w="10rem"
        />
      )}
      {named && (
        <Group gap={6}>
          {chosen.map((one) => (
            <Pill
              key={String(one)}
              withRemoveButton
              removeButtonProps={{
                "aria-label": t("pairs_remove", { pair: word("axis_value", one) }),
                // Anyone who has no mouse leaves out a pair as well.
                "aria-hidden": false,
                tabIndex: 0,
              }}
              onRemove={() => {
                const left = chosen.filter((other) => other !== one);
                onChange(left.length > 0 ? left : undefined);
              }}
            >
              {word("axis_value", one)}
            </Pill>
          ))}
        </Group>
      )}
      {measuresPairs && (
        <Text size="xs" c="dimmed">
          {t("pairs_in_yaml")}
        </Text>
      )}
    </Stack>
  );
}
