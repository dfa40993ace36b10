import { Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Cluster, useChange, usePreflight } from "~/queries/clusters";
import { ProblemAlert } from "~/ui/problem_alert";
import { FormProblem, faultsOf } from "./form_problem";
import {
  contextToSend,
  type KubeconfigDraft,
  KubeconfigField,
  NO_KUBECONFIG,
} from "./kubeconfig_field";
import { ReplacementAlert } from "./replacement_alert";

const AT_FIELDS = ["/kubeconfig", "/context"];

/** Replaces the kubeconfig, and has the cluster looked at with the new one. */
export function RotateForm({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const [draft, setDraft] = useState<KubeconfigDraft>(NO_KUBECONFIG);
  const [done, setDone] = useState(false);
  const change = useChange();
  const preflight = usePreflight();

  function submit(event: FormEvent) {
    event.preventDefault();
    setDone(false);
    change.mutate(
      { of: cluster, change: { kubeconfig: draft.kubeconfig, context: contextToSend(draft) } },
      {
        onSuccess: ({ id, replacement }) => {
          setDraft(NO_KUBECONFIG);
          change.reset();
          // A waiting kubeconfig has its own alert.
          setDone(replacement === null);
          preflight.mutate(id);
        },
      },
    );
  }

  return (
    <form noValidate onSubmit={submit} autoComplete="off">
      <Stack>
        {cluster.replacement && <ReplacementAlert replacement={cluster.replacement} />}
        <KubeconfigField draft={draft} onChange={setDraft} faults={faultsOf(change.error)} />
        <FormProblem error={change.error} atFields={AT_FIELDS} />
        {preflight.error && (
          <ProblemAlert error={preflight.error} retry={() => preflight.mutate(cluster.id)} />
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t("rotate_button")}
          </Button>
          <Text size="sm" role="status">
            {done && t("rotated")}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
