import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useExplained } from "~/i18n/explained";
import { labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Axis } from "~/queries/kinds";
import { Disclosure } from "~/ui/disclosure";

/** What a case and a round are, and what the axes of the run's cases mean. */
export function Terms({ axes }: { axes: readonly Pick<Axis, "name" | "description">[] }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const explained = useExplained();
  return (
    <div>
      <Text size="sm">{t("terms.case_and_round")}</Text>
      {axes.length > 0 && (
        <Disclosure title={t("terms.axes")}>
          {axes.map(({ name, description }) => (
            <Text key={name} size="sm" maw={720} mb={4}>
              {labelled(word("axis", name), explained("axis_description", name, description))}
            </Text>
          ))}
        </Disclosure>
      )}
    </div>
  );
}
