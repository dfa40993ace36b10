import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { useMessageText } from "~/i18n/messages";
import { type Cluster, useChange } from "~/queries/clusters";
import { AllowSwitchField } from "./allow_switch_field";
import { FormProblem, faultsOf } from "./form_problem";

const AT_FIELDS = ["/name", "/description"];

/**
 * Name, description, and whether modes may be switched. A change is made from the version that
 * the form was filled with, so that what somebody else changed meanwhile is not undone unseen.
 */
export function DetailsForm({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation(["clusters", "common"]);
  const [base, setBase] = useState(cluster);
  const [draft, setDraft] = useState(cluster);
  const change = useChange();
  const faults = faultsOf(change.error);
  const say = useMessageText();
  const at = (pointer: string) => {
    const fault = faults.find((one) => one.pointer === pointer);
    return fault && say(fault.message);
  };
  const stale = change.error instanceof ProblemError && change.error.status === 412;

  // Nothing was typed yet, so what was changed elsewhere may be shown.
  if (cluster.version !== base.version && draft === base) fill(cluster);

  function fill(from: Cluster) {
    setBase(from);
    setDraft(from);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const { name, description, allow_mode_switch } = draft;
    change.mutate(
      { of: base, change: { name, description, allow_mode_switch } },
      { onSuccess: fill },
    );
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t("name")}
          required
          maxLength={200}
          value={draft.name}
          error={at("/name")}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Textarea
          label={t("description")}
          autosize
          minRows={2}
          maxLength={4000}
          value={draft.description}
          error={at("/description")}
          onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
        />
        <AllowSwitchField
          checked={draft.allow_mode_switch}
          onChange={(allow_mode_switch) => setDraft({ ...draft, allow_mode_switch })}
        />
        <FormProblem error={change.error} atFields={AT_FIELDS} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t("common:save")}
          </Button>
          {stale && (
            <Button
              variant="default"
              onClick={() => {
                change.reset();
                fill(cluster);
              }}
            >
              {t("show_current")}
            </Button>
          )}
          <Saved shown={change.isSuccess && draft === base} />
        </Group>
      </Stack>
    </form>
  );
}

function Saved({ shown }: { shown: boolean }) {
  const { t } = useTranslation("clusters");
  return (
    <Text size="sm" role="status">
      {shown && t("saved")}
    </Text>
  );
}
