import { NativeSelect, SimpleGrid } from "@mantine/core";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { valueAt } from "./document";
import { faultAt, type SpecFault } from "./faults";
import { ParameterField } from "./parameter_field";
import type { SchemaField } from "./schema_fields";
import type { Spec } from "./use_spec";

type Figure = Exclude<keyof Schemas["PlannedRepetition"], "until_decided">;
type Until = Schemas["UntilDecided"];
type Profile = Schemas["Profile"];

/** The figures of the contract's repetition plan; their bounds are the API's to check. */
const FIGURES = {
  rounds: true,
  trials: true,
  seconds: true,
  warmup: true,
  void_replacements: true,
  seed: true,
} satisfies Record<Figure, true>;
/** What a run that continues until it is decided is given. */
const UNTIL_DECIDED = {
  difference: "number",
  most_minutes: "integer",
} satisfies Record<keyof Until, SchemaField["type"]>;
export const PROFILES = Object.keys({
  quick: true,
  reference: true,
} satisfies Record<Profile, true>);

/** The repetition plan: a profile, and what is changed of it. `resolved` is what the plan made of it. */
export function RepetitionFields({
  spec,
  faults,
  resolved,
}: {
  spec: Spec;
  faults: readonly SpecFault[];
  resolved: Schemas["PlannedRepetition"] | undefined;
}) {
  const word = useWords();
  const { value } = spec.readable;
  const decidedBy = resolved?.until_decided ?? null;
  const profile = valueAt(value, ["repetition", "profile"]) ?? "quick";
  const profiles = [...new Set([...PROFILES, String(profile)])];
  return (
    <>
      <NativeSelect
        label={word("repetition", "profile")}
        description={word("repetition_description", "profile")}
        error={faultAt(faults, "/repetition/profile")}
        value={String(profile)}
        data={profiles.map((one) => ({ value: one, label: word("profile", one) }))}
        onChange={(event) => spec.edit(["repetition", "profile"], event.currentTarget.value)}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {(Object.keys(FIGURES) as Figure[]).map((figure) => (
          <ParameterField
            key={figure}
            field={scalar(figure, "integer")}
            label={word("repetition", figure)}
            description={word("repetition_description", figure)}
            placeholder={String(resolved?.[figure] ?? "")}
            value={valueAt(value, ["repetition", figure])}
            error={faultAt(faults, `/repetition/${figure}`)}
            onChange={(typed) => spec.edit(["repetition", figure], typed)}
          />
        ))}
        {(Object.keys(UNTIL_DECIDED) as (keyof Until)[]).map((name) => (
          <ParameterField
            key={name}
            field={scalar(name, UNTIL_DECIDED[name])}
            label={word("repetition", name)}
            description={word("repetition_description", name)}
            placeholder={String(decidedBy?.[name] ?? "")}
            value={valueAt(value, ["repetition", "until_decided", name])}
            error={faultAt(faults, `/repetition/until_decided/${name}`)}
            onChange={(typed) => spec.edit(["repetition", "until_decided", name], typed)}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

function scalar(name: string, type: SchemaField["type"]): SchemaField {
  return { name, type, description: "", choices: [], fallback: null };
}
