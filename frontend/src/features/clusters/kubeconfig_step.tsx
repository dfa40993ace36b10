import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useMessageText } from "~/i18n/messages";
import { AllowSwitchField } from "./allow_switch_field";
import { FormProblem, faultsOf } from "./form_problem";
import {
  contextToSend,
  type KubeconfigDraft,
  KubeconfigField,
  NO_KUBECONFIG,
} from "./kubeconfig_field";

/** What the wizard's form holds; it lives as long as the page and nowhere else. */
export interface Draft extends KubeconfigDraft {
  name: string;
  description: string;
  allowModeSwitch: boolean;
}

export const EMPTY_DRAFT: Draft = {
  ...NO_KUBECONFIG,
  name: "",
  description: "",
  allowModeSwitch: false,
};

const AT_FIELDS = ["/name", "/description", "/kubeconfig", "/context"];

/** The wizard's second step: the kubeconfig and what the cluster is called. */
export function KubeconfigStep({
  draft,
  onChange,
  onSubmit,
  onBack,
  pending,
  error,
}: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSubmit: (body: Schemas["NewCluster"]) => void;
  onBack: () => void;
  pending: boolean;
  error: Error | null;
}) {
  const { t } = useTranslation(["clusters", "common"]);
  const say = useMessageText();
  const faults = faultsOf(error);
  const at = (pointer: string) => {
    const fault = faults.find((one) => one.pointer === pointer);
    return fault && say(fault.message);
  };

  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit({
      name: draft.name,
      description: draft.description,
      kubeconfig: draft.kubeconfig,
      context: contextToSend(draft),
      allow_mode_switch: draft.allowModeSwitch,
    });
  }

  return (
    <form noValidate onSubmit={submit} autoComplete="off">
      <Stack gap="lg" maw={760}>
        <TextInput
          label={t("name")}
          description={t("name_text")}
          required
          maxLength={200}
          value={draft.name}
          error={at("/name")}
          onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
        <Textarea
          label={t("description")}
          autosize
          minRows={2}
          maxLength={4000}
          value={draft.description}
          error={at("/description")}
          onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
        />
        <KubeconfigField
          draft={draft}
          onChange={(given) => onChange({ ...draft, ...given })}
          faults={faults}
        />
        <AllowSwitchField
          checked={draft.allowModeSwitch}
          onChange={(allowModeSwitch) => onChange({ ...draft, allowModeSwitch })}
        />
        <FormProblem error={error} atFields={AT_FIELDS} />
        <Group justify="space-between">
          <Button variant="default" onClick={onBack}>
            {t("common:back")}
          </Button>
          <Button type="submit" loading={pending}>
            {t("register")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
