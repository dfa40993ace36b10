import { Button, Fieldset, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { InYamlOnly } from "./axis_field";
import { type Path, valueAt } from "./document";
import { faultAt, type SpecFault } from "./faults";
import { FieldGroup } from "./field_group";
import { pointerOf } from "./pointers";
import type { Spec } from "./use_spec";

/** What the kind does not know, such as the axes of the kind chosen before: kept until removed. */
export function StrangerFields({
  spec,
  paths,
  faults,
}: {
  spec: Spec;
  paths: readonly Path[];
  faults: readonly SpecFault[];
}) {
  const { t } = useTranslation("experiments");
  return (
    <Fieldset legend={t("not_known")}>
      <Stack gap="md">
        {paths.map((path) => (
          <FieldGroup
            key={pointerOf(path)}
            label={path.join(" / ")}
            error={faultAt(faults, pointerOf(path))}
            aside={
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                onClick={() => spec.edit(path, undefined)}
                aria-label={t("remove_key", { key: path.join(" / ") })}
              >
                {t("remove")}
              </Button>
            }
          >
            <InYamlOnly value={valueAt(spec.readable.value, path)} />
          </FieldGroup>
        ))}
      </Stack>
    </Fieldset>
  );
}
