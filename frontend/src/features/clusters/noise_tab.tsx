import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconWaveSine } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { followed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatDuration } from "~/quantities/format";
import { useMe } from "~/queries/accounts";
import {
  type Cluster,
  type FloorToMeasure,
  type MeasuredFloor,
  noiseFloorOptions,
  useMeasureNoiseFloor,
} from "~/queries/clusters";
import { EmptyState } from "~/ui/empty_state";
import { FloorFacts } from "~/ui/floor_facts";
import { FloorTable } from "~/ui/floor_table";
import { Loaded } from "~/ui/loaded";
import { ProblemAlert } from "~/ui/problem_alert";
import { Section } from "~/ui/section";
import { FieldsTable } from "./fields_table";

/** How far the cluster differs from itself, of what that is known, and how to measure it. */
export function NoiseTab({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const floor = useQuery(noiseFloorOptions(cluster.id));
  return (
    <Loaded query={floor}>
      {({ measured, to_measure, runs_needed }) => (
        <Stack gap="lg">
          <Text size="sm" c="dimmed" maw={720}>
            {t("noise.text", { runs: runs_needed })}
          </Text>
          <Measure cluster={cluster} offers={to_measure} />
          {measured.length === 0 ? (
            <EmptyState icon={<IconWaveSine size={40} />} title={t("noise.none")}>
              {t("noise.none_text")}
            </EmptyState>
          ) : (
            measured.map((one) => (
              <Floor key={one.run_ids.join()} floor={one} runsNeeded={runs_needed} />
            ))
          )}
        </Stack>
      )}
    </Loaded>
  );
}

type Offer = Pick<FloorToMeasure, "kind" | "mode">;

/** Whether nothing was refused for but what is uncertain, which can be gone past. */
function isUncertain(error: Error | null): boolean {
  const faults = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  return faults.length > 0 && faults.every(({ obstacle }) => obstacle?.level === "uncertain");
}

/** One click for each kind; what it does and how long it takes is said before. */
function Measure({ cluster, offers }: { cluster: Cluster; offers: readonly FloorToMeasure[] }) {
  const { t } = useTranslation("clusters");
  const word = useWords();
  const me = useMe();
  const navigate = useNavigate();
  const measure = useMeasureNoiseFloor();
  const why = useId();
  const ready = cluster.cluster_uid !== null && !cluster.needs_restore;
  const [refused, setRefused] = useState<Offer>();
  async function start(offer: Offer, force: boolean) {
    const { kind, mode } = offer;
    setRefused(offer);
    const name =
      mode === null
        ? t("noise.name", { kind: word("kind", kind) })
        : t("noise.name_of_mode", { kind: word("kind", kind), mode: word("axis_value", mode) });
    const description = t("noise.description");
    const run = await measure.mutateAsync({ id: cluster.id, kind, name, description, force });
    await navigate({ to: "/runs/$runId", params: { runId: run.id } });
  }
  if (!me.may("operator")) return null;
  return (
    <Section framed title={t("noise.measure")} text={t("noise.measure_text")}>
      <Stack gap="sm">
        {offers.map(({ kind, axis, mode, expected_seconds }) => (
          <Group key={kind} gap="sm" data-offer={kind}>
            <Button
              variant="default"
              leftSection={<IconWaveSine size={16} />}
              disabled={!ready}
              loading={measure.isPending && measure.variables.kind === kind}
              aria-describedby={`${why}-${kind}`}
              onClick={() => void start({ kind, mode }, false).catch(() => undefined)}
            >
              {t("noise.measure_kind", { kind: word("kind", kind) })}
            </Button>
            <Text size="sm" id={`${why}-${kind}`}>
              {followed(t("noise.takes", { duration: formatDuration(expected_seconds) }))}
              {axis === null || mode === null
                ? t("noise.rolls_pods")
                : t("noise.rolls_mode", {
                    axis: word("axis", axis),
                    mode: word("axis_value", mode),
                  })}
            </Text>
          </Group>
        ))}
        {measure.error && <ProblemAlert error={measure.error} />}
        {refused && isUncertain(measure.error) && (
          <Group>
            <Button
              variant="default"
              onClick={() => void start(refused, true).catch(() => undefined)}
            >
              {t("noise.force")}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}

function Floor({ floor, runsNeeded }: { floor: MeasuredFloor; runsNeeded: number }) {
  const word = useWords();
  return (
    <Section title={word("kind", floor.kind)}>
      <Stack gap="sm">
        <FloorFacts floor={floor} runsNeeded={runsNeeded} />
        {floor.outdated.length > 0 && <Outdated floor={floor} />}
        <Paper withBorder p="md">
          <FloorTable floor={floor} />
        </Paper>
      </Stack>
    </Section>
  );
}

function Outdated({ floor }: { floor: MeasuredFloor }) {
  const { t } = useTranslation("clusters");
  return (
    <Alert
      role="note"
      color="orange"
      variant="light"
      icon={<IconAlertTriangle />}
      title={t("noise.outdated")}
    >
      <FieldsTable
        caption={t("noise.outdated_caption")}
        columns={[t("field"), t("noise.then"), t("noise.now")]}
        rows={floor.outdated.map(({ field, baseline, contender }) => ({
          field,
          under: "",
          values: [shown(baseline), shown(contender)],
        }))}
      />
    </Alert>
  );
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? value.map(String).join(", ") : String(value);
}
