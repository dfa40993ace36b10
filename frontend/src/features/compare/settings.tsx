import { Fieldset, NumberInput, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { DEFAULTS } from "./choice";
import type { CompareSearch } from "./search";

const CHOICES = ["main", "all"] as const;

/** What is compared of the cases, and what counts as an effect. */
export function Settings({
  search,
  at,
  onChange,
}: {
  search: CompareSearch;
  at: (...pointers: string[]) => string | undefined;
  onChange: (next: CompareSearch) => void;
}) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  const { metrics = DEFAULTS.metrics, noise = DEFAULTS.noise, alpha = DEFAULTS.alpha } = search;
  return (
    <Fieldset legend={t("settings")} miw={0}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Stack gap={4}>
          <Text size="sm" fw={500} id="metric-choice">
            {t("metrics")}
          </Text>
          <SegmentedControl
            aria-labelledby="metric-choice"
            value={metrics}
            onChange={(value) => onChange({ ...search, metrics: value as typeof metrics })}
            data={CHOICES.map((value) => ({ value, label: word("metric_choice", value) }))}
          />
        </Stack>
        <Amount
          label={t("noise")}
          description={t("noise_text")}
          value={Number((noise * 100).toPrecision(6))}
          max={50}
          step={1}
          suffix=" %"
          error={at("/noise_threshold")}
          onChange={(percent) => onChange({ ...search, noise: percent / 100 })}
        />
        <Amount
          label={t("alpha")}
          description={t("alpha_text")}
          value={alpha}
          max={0.2}
          step={0.01}
          error={at("/alpha")}
          onChange={(value) => onChange({ ...search, alpha: value })}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

/** A number that may be empty while it is typed; only a number is reported. */
function Amount({
  value,
  onChange,
  ...shown
}: {
  label: string;
  description: string;
  value: number;
  max: number;
  step: number;
  suffix?: string;
  error: string | undefined;
  onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | number>(value);
  return (
    <NumberInput
      {...shown}
      min={0}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        if (typeof next === "number") onChange(next);
      }}
      onBlur={() => setTyped(value)}
    />
  );
}
