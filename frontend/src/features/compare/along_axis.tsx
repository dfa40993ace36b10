import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { AxisValues } from "./choice";

/** Fills the form: all values of an axis of the baseline's run against its first one. */
export function AlongAxis({
  axes,
  onTake,
}: {
  axes: AxisValues[];
  onTake: (axis: AxisValues) => void;
}) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  if (axes.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-labelledby="along-axis">
      <Text size="sm" id="along-axis">
        {t("along_axis")}
      </Text>
      {axes.map((one) => (
        <Button key={one.axis} size="compact-sm" variant="light" onClick={() => onTake(one)}>
          {word("axis", one.axis)}
        </Button>
      ))}
    </Group>
  );
}
