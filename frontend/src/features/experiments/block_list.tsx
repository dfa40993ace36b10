import { Text, Title } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Point } from "~/api/types";
import { useWords } from "~/i18n/words";
import type { Plan } from "~/queries/experiments";
import { plannedCases } from "~/ui/planned_cases";
import { usePointText } from "~/ui/point_text";
import { ScrollRegion, Table } from "~/ui/table";
import classes from "./experiments.module.css";

/** So many rows are scrolled by themselves on a phone, too: what follows would not be found. */
const LONG = 24;

/** The blocks in the order they run, with what is switched before each. */
export function BlockList({ plan }: { plan: Plan }) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const pointText = usePointText();
  const { setUps } = plannedCases(plan);
  const paired = plan.blocks.some((block) => block.node_pair != null);
  const narrowHeight = plan.blocks.length > LONG ? "70vh" : "none";
  const setUpsIn = (modes: Point) =>
    setUps.filter(({ point }) => Object.entries(point).every(([axis, at]) => modes[axis] === at))
      .length;
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {t("blocks_title", { count: plan.blocks.length, rounds: plan.repetition.rounds })}
      </Title>
      {plan.repetition.seed === null && (
        <Text size="xs" c="dimmed" mb={6}>
          {t("blocks_drawn")}
        </Text>
      )}
      <ScrollRegion minWidth={320} mah={{ base: narrowHeight, xs: 300 }} aria-label={t("blocks")}>
        <Table fz="xs" verticalSpacing={4} withTableBorder stickyHeader className={classes.table}>
          <Table.Caption className="visually-hidden">{t("blocks_caption")}</Table.Caption>
          <Table.Head
            columns={[
              t("block"),
              t("round"),
              paired && word("axis", "node_pair"),
              t("modes"),
              { label: t("figure.cases"), ta: "right" },
              { label: t("figure.trials"), ta: "right" },
            ]}
          />
          <Table.Tbody>
            {plan.blocks.map((block) => {
              const switched = plan.switches.filter((one) => one.block === block.position);
              return (
                <Table.Tr key={block.position}>
                  <Table.Th scope="row">{block.position + 1}</Table.Th>
                  <Table.Td>{block.round}</Table.Td>
                  {paired && <Table.Td>{word("axis_value", block.node_pair ?? "")}</Table.Td>}
                  <Table.Td miw={130}>
                    {pointText(block.modes) || t("as_they_stand")}
                    {switched.map(({ axis, value }) => (
                      <div key={axis}>
                        <IconArrowsExchange
                          size={12}
                          aria-hidden
                          style={{ verticalAlign: "-1px", marginInlineEnd: 4 }}
                        />
                        {t("switch_to", {
                          axis: word("axis", axis),
                          value: word("axis_value", value),
                        })}
                      </div>
                    ))}
                  </Table.Td>
                  <Table.Td ta="right">{block.cases - setUpsIn(block.modes)}</Table.Td>
                  <Table.Td ta="right">{block.trials}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </div>
  );
}
