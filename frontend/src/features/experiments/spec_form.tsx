import { Alert, Box, Button, Fieldset, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useExplained } from "~/i18n/explained";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { AboutFields } from "./about_fields";
import { AxisField } from "./axis_field";
import { valueAt } from "./document";
import { faultAt, faultsElsewhere, type SpecFault } from "./faults";
import { ParameterField } from "./parameter_field";
import { pointerOf } from "./pointers";
import { RepetitionFields } from "./repetition_fields";
import { schemaFields } from "./schema_fields";
import { isWritable, shownPointers, strangers } from "./sections";
import { StrangerFields } from "./stranger_fields";
import { useFaultText } from "./use_fault_text";
import type { Impossible } from "./use_impossible";
import type { Spec } from "./use_spec";

interface SpecFormProps {
  spec: Spec;
  kinds: readonly Kind[];
  faults: readonly SpecFault[];
  clusterNames: readonly string[];
  impossible: Impossible;
  resolved: Schemas["PlannedRepetition"] | undefined;
  onShowYaml: () => void;
}

/** The specification as a form, made from what its kind publishes. */
export function SpecForm({
  spec,
  kinds,
  faults,
  clusterNames,
  impossible,
  resolved,
  onShowYaml,
}: SpecFormProps) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const faultText = useFaultText();
  const { value } = spec.readable;
  const kind = kinds.find(({ name }) => name === value.kind);
  const broken = spec.document.faults[0];
  const parameters = kind ? schemaFields(kind.parameters) : [];
  const unknown = strangers(value, kind);
  const elsewhere = faultsElsewhere(faults, shownPointers(value, kind));

  return (
    <Stack gap="md">
      {broken && (
        <Alert
          role="status"
          color="orange"
          variant="light"
          icon={<IconAlertTriangle />}
          title={t("yaml_broken")}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm">
              {t("on_line", {
                line: broken.line,
                message: faultText(broken),
              })}
            </Text>
            <Text size="sm">{t("yaml_broken_text")}</Text>
            <Button size="xs" variant="default" onClick={onShowYaml}>
              {t("show_yaml")}
            </Button>
          </Stack>
        </Alert>
      )}
      {!broken && elsewhere.length > 0 && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle />} role="status">
          {elsewhere.map(({ pointer, message }) => (
            <Text size="sm" key={pointer + message}>
              {[pointer, message].filter(Boolean).join(" ")}
            </Text>
          ))}
        </Alert>
      )}
      <Box
        component="fieldset"
        disabled={broken !== undefined}
        m={0}
        p={0}
        miw={0}
        style={{ border: 0 }}
      >
        <Stack gap="md">
          <AboutFields spec={spec} kinds={kinds} faults={faults} />
          {kind === undefined && <Text c="dimmed">{t("choose_kind")}</Text>}
          {kind && (
            <Fieldset legend={t("axes")} disabled={!isWritable(value, "axes")}>
              <Stack gap="lg">
                {kind.axes.map((axis) => (
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
              </Stack>
            </Fieldset>
          )}
          {parameters.length > 0 && (
            <Fieldset legend={t("parameters")} disabled={!isWritable(value, "parameters")}>
              <Stack gap="md">
                {parameters.map((field) => (
                  <ParameterField
                    key={field.name}
                    field={field}
                    label={word("parameter", field.name)}
                    description={explained("parameter_description", field.name, field.description)}
                    value={valueAt(value, ["parameters", field.name])}
                    error={faultAt(faults, pointerOf(["parameters", field.name]))}
                    onChange={(typed) => spec.edit(["parameters", field.name], typed)}
                  />
                ))}
              </Stack>
            </Fieldset>
          )}
          <Fieldset legend={t("repetition_plan")} disabled={!isWritable(value, "repetition")}>
            <Stack gap="md">
              <RepetitionFields spec={spec} faults={faults} resolved={resolved} />
            </Stack>
          </Fieldset>
          {unknown.length > 0 && <StrangerFields spec={spec} paths={unknown} faults={faults} />}
        </Stack>
      </Box>
    </Stack>
  );
}
