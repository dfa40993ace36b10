import { Checkbox, NumberInput, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

type ByHand = Pick<Schemas["ClusterView"], "allow_switch_by_hand" | "switch_by_hand_minutes">;

/** Whether somebody switches the cluster's modes by hand, and how long a run waits for that. */
export function ByHandField({
  value: { allow_switch_by_hand: allowed, switch_by_hand_minutes: minutes },
  onChange,
}: {
  value: ByHand;
  onChange: (changed: Partial<ByHand>) => void;
}) {
  const { t } = useTranslation("clusters");
  return (
    <Stack gap="xs">
      <Checkbox
        label={t("allow_by_hand")}
        description={t("allow_by_hand_text")}
        checked={allowed}
        onChange={(event) => onChange({ allow_switch_by_hand: event.currentTarget.checked })}
      />
      {allowed && (
        <NumberInput
          label={t("by_hand_minutes")}
          description={t("by_hand_minutes_text")}
          value={minutes}
          min={1}
          max={1440}
          maw={280}
          onChange={(given) =>
            typeof given === "number" && onChange({ switch_by_hand_minutes: given })
          }
        />
      )}
    </Stack>
  );
}
