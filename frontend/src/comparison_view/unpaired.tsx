import { Group, List, Text, Title } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison, Schemas } from "~/api/types";
import { CaseStatusBadge } from "~/ui/badges";
import { Disclosure } from "~/ui/disclosure";
import { usePointText } from "~/ui/point_text";
import type { Sides } from "./model/sides";

/** The cases that no case of the other side agrees with. */
export const Unpaired = memo(function Unpaired({
  comparison,
  sides,
}: {
  comparison: Comparison;
  sides: Sides;
}) {
  const { t } = useTranslation("compare");
  const lists = comparison.contenders.flatMap((one, place) => {
    const contender = sides.contenders[place]?.short;
    const baseline = sides.baseline.short;
    return [
      {
        key: `baseline ${place}`,
        title: t("unpaired.baseline", { baseline, contender, count: one.unpaired_baseline.length }),
        cases: one.unpaired_baseline,
      },
      {
        key: `contender ${place}`,
        title: t("unpaired.contender", {
          baseline,
          contender,
          count: one.unpaired_contender.length,
        }),
        cases: one.unpaired_contender,
      },
    ];
  });
  const filled = lists.filter(({ cases }) => cases.length > 0);
  if (filled.length === 0) return null;
  return (
    <section aria-labelledby="unpaired">
      <Title order={2} size="h4" id="unpaired" mb="sm">
        {t("unpaired.title")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("unpaired.text")}
      </Text>
      {filled.map(({ key, title, cases }) => (
        <Disclosure key={key} title={title}>
          <Cases cases={cases} />
        </Disclosure>
      ))}
    </section>
  );
});

function Cases({ cases }: { cases: Schemas["CaseRef"][] }) {
  const point = usePointText();
  return (
    <List size="sm" spacing={4}>
      {cases.map((one) => (
        <List.Item key={one.case_id}>
          <Group gap="xs">
            {point(one.point)}
            {one.status !== "succeeded" && <CaseStatusBadge status={one.status} />}
            {one.reason?.text}
          </Group>
        </List.Item>
      ))}
    </List>
  );
}
