import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useFaultAt } from "~/ui/use_fault_at";
import { AllowHostNamesField } from "./allow_host_names_field";
import { AllowSwitchField } from "./allow_switch_field";
import { FormProblem, faultsOf } from "./form_problem";
import {
  contextToSend,
  type KubeconfigDraft,
  KubeconfigField,
  NO_KUBECONFIG,
} from "./kubeconfig_field";
import { NameFields } from "./name_fields";

/** What the wizard's form holds; it lives as long as the page and nowhere else. */
export interface Draft extends KubeconfigDraft {
  name: string;
  description: string;
  allowModeSwitch: boolean;
  allowHostNames: boolean;
}

export const EMPTY_DRAFT: Draft = {
  ...NO_KUBECONFIG,
  name: "",
  description: "",
  allowModeSwitch: false,
  allowHostNames: false,
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
  const faults = faultsOf(error);
  const at = useFaultAt(error);

  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit({
      name: draft.name,
      description: draft.description,
      kubeconfig: draft.kubeconfig,
      context: contextToSend(draft),
      allow_mode_switch: draft.allowModeSwitch,
      allow_host_names: draft.allowHostNames,
      // Allowed on the cluster's page, once it is known what its modes are set by.
      allow_switch_by_hand: false,
      switch_by_hand_minutes: 30,
      renew_credential: false,
    });
  }

  return (
    <form noValidate onSubmit={submit} autoComplete="off">
      <Stack gap="lg" maw={760}>
        <NameFields
          value={draft}
          hint={t("name_text")}
          onChange={(part) => onChange({ ...draft, ...part })}
          at={at}
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
        <AllowHostNamesField
          checked={draft.allowHostNames}
          onChange={(allowHostNames) => onChange({ ...draft, allowHostNames })}
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
