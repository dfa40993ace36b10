import { Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Case } from "~/queries/runs";
import { CaseStatusBadge } from "~/ui/badges";
import { usePointText } from "~/ui/point_text";
import classes from "./case_cell.module.css";
import type { CaseFigures } from "./figures";
import { NO_TRIAL } from "./search";

/** How a case stands and what it gave so far; opens its trials. */
export function CaseCell({ one, figures }: { one: Case; figures: CaseFigures }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const pointText = usePointText();
  const figure = figures.of(one.id);
  const wanted = figures.wanted(one);
  const trials =
    wanted === null
      ? t("trials_counted", { count: figure.counted })
      : t("trials_of", { count: wanted, counted: figure.counted });
  return (
    <Link
      from="/runs/$runId"
      to="."
      search={(old) => ({ ...old, case: one.id, ...NO_TRIAL })}
      resetScroll={false}
      className={classes.cell}
      data-case={one.id}
      data-status={one.status}
    >
      <span className="visually-hidden">{pointText(one.point)}</span>
      <Group gap="2px 6px" justify="space-between">
        <CaseStatusBadge status={one.status} />
        {figure.main && (
          <Text
            size="sm"
            fw={600}
            title={word("metric", figure.main.metric)}
            ta="right"
            style={{ whiteSpace: "nowrap" }}
          >
            {figure.main.text}
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" mt={2}>
        {trials}
        {figure.failed > 0 && ` · ${t("failed_count", { count: figure.failed })}`}
      </Text>
      {figure.failure && (
        <Text size="xs" lineClamp={3}>
          {figure.failure.message.text}
        </Text>
      )}
    </Link>
  );
}
