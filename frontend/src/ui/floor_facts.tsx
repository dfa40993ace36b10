import { Badge, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { Moment } from "./moment";

/** How many runs a noise floor rests on, and how many more it takes. */
export function FloorFacts({
  floor,
  runsNeeded,
}: {
  floor: Schemas["MeasuredFloor"];
  runsNeeded: number;
}) {
  const { t } = useTranslation("floors");
  const runs = floor.run_ids.length;
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed">
        {t("rests_on", { count: runs })}
        {" · "}
        {t("days", { count: floor.days })}
        {" · "}
        {t("last")} <Moment at={floor.last_at} />
      </Text>
      {runs < runsNeeded && (
        <Badge tt="none" variant="light" color="gray">
          {t("more_runs", { count: runsNeeded - runs })}
        </Badge>
      )}
    </Group>
  );
}
