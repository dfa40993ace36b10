import { Button, Fieldset, Group, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { referenceOptions } from "~/queries/references";
import { Loaded } from "~/ui/loaded";
import { axesOf } from "./choice";
import type { PublishedChoice } from "./search";
import { AxisField } from "./side_fields";

/** A baseline that was published: which reference, then which part of it. */
export function PublishedFields({
  choice,
  at,
  onChange,
  onRemove,
}: {
  choice: PublishedChoice;
  at: (...pointers: string[]) => string | undefined;
  onChange: (choice: PublishedChoice) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation(["comparisons", "references"]);
  const reference = useQuery(referenceOptions(choice.id));
  const fault = at("/baseline", "/baseline/reference_id", "/baseline/where");
  return (
    <Fieldset legend={t("published_baseline")} miw={0}>
      <Loaded query={reference} lines={2}>
        {(found) => (
          <>
            <Group justify="space-between" align="flex-start">
              <Text lang={found.language}>{found.title}</Text>
              <Button variant="default" size="xs" onClick={onRemove}>
                {t("take_run_instead")}
              </Button>
            </Group>
            <Text size="sm" c="dimmed">
              {t("references:untested")}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mt="sm" verticalSpacing="xs">
              {axesOf(pointsOf(found)).map((one) => (
                <AxisField
                  key={one.axis}
                  axis={one}
                  where={choice.where}
                  onWhere={(where) => onChange({ id: choice.id, where })}
                />
              ))}
            </SimpleGrid>
          </>
        )}
      </Loaded>
      {fault && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs" role="alert">
          {fault}
        </Text>
      )}
    </Fieldset>
  );
}

/** The points of the figures that a run can be compared with. */
function pointsOf({ tables }: { tables: { restates: boolean; rows: Row[] }[] }) {
  return tables
    .filter(({ restates }) => !restates)
    .flatMap(({ rows }) => rows)
    .flatMap(({ cells }) => cells)
    .filter(({ metric }) => metric != null)
    .flatMap(({ points }) => points.map((point) => ({ point })));
}

type Row = { cells: { metric?: string | null; points: Record<string, string | number>[] }[] };
