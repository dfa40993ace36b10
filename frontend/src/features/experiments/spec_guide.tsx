import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { useExplained } from "~/i18n/explained";
import { labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { AnchorLink } from "~/ui/link";
import { axesInShort } from "./axes_in_short";
import { AxisField } from "./axis_field";
import { valueAt } from "./document";
import { faultAt, type SpecFault } from "./faults";
import { pointerOf } from "./pointers";
import { axisValues, shown } from "./typed";
import type { Impossible } from "./use_impossible";
import type { Spec } from "./use_spec";

interface SpecGuideProps {
  spec: Spec;
  kinds: readonly Kind[];
  faults: readonly SpecFault[];
  clusterNames: readonly string[];
  impossible: Impossible;
  /** Opens the form, which has all settings. */
  onShowForm: () => void;
}

/** The first two of four steps: what is asked, and which modes are compared; all else stays as it is. */
export function SpecGuide(props: SpecGuideProps) {
  const { spec, kinds, faults, clusterNames, impossible, onShowForm } = props;
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const { value } = spec.readable;
  const kind = kinds.find(({ name }) => name === value.kind);
  const whole = kind?.axes.filter(({ scope }) => scope !== "case") ?? [];
  const compared = whole.filter(({ name }) => axisValues(valueAt(value, ["axes", name]))?.length);
  // What compares none yet chooses among all of them.
  const modes = compared.length > 0 ? compared : whole;
  const others = Object.entries((valueAt(value, ["axes"]) ?? {}) as object).filter(
    ([axis]) => !modes.some(({ name }) => name === axis),
  );
  const inShort = axesInShort(Object.fromEntries(others), word, (count) => t("values", { count }));
  return (
    <Stack gap="xl">
      <Step title={t("guide.question")}>
        <TextInput
          label={t("name")}
          required
          error={faultAt(faults, "/name")}
          value={shown(value.name) ?? ""}
          onChange={(event) => spec.edit(["name"], event.currentTarget.value)}
          autoComplete="off"
        />
        {kind && (
          <Text size="sm">
            {labelled(
              word("kind", kind.name),
              explained("kind_description", kind.name, kind.description) ?? "",
            )}
          </Text>
        )}
        <AnchorLink to="/experiments/new" search={{}} size="sm" w="fit-content">
          {t("guide.other_question")}
        </AnchorLink>
      </Step>
      <Step title={t("guide.modes")}>
        {modes.map((axis) => (
          <AxisField
            key={axis.name}
            axis={axis}
            value={valueAt(value, ["axes", axis.name])}
            error={faultAt(faults, pointerOf(["axes", axis.name]))}
            clusterNames={clusterNames}
            impossible={impossible(axis)}
            quick={(valueAt(value, ["repetition", "profile"]) ?? "quick") === "quick"}
            onChange={(values) => spec.edit(["axes", axis.name], values)}
          />
        ))}
        <Group gap="sm">
          <Text size="sm" c="dimmed" style={{ flex: "1 1 12rem" }}>
            {inShort === "" ? t("kind_defaults") : inShort}
          </Text>
          <Button size="compact-sm" variant="default" onClick={onShowForm}>
            {t("guide.all_settings")}
          </Button>
        </Group>
      </Step>
    </Stack>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      <Title order={3} size="h5" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
