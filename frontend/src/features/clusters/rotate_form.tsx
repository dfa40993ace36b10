import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemAlert } from "~/ui/problem_alert";
import {
  contextToSend,
  type KubeconfigDraft,
  KubeconfigField,
  NO_KUBECONFIG,
} from "./kubeconfig_field";
import { faultsOf } from "./kubeconfig_step";
import { type Cluster, useChange, usePreflight } from "./queries";

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
        onSuccess: ({ id }) => {
          setDraft(NO_KUBECONFIG);
          change.reset();
          setDone(true);
          preflight.mutate(id);
        },
      },
    );
  }

  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack>
        <KubeconfigField draft={draft} onChange={setDraft} faults={faultsOf(change.error)} />
        {change.error && (
          <ProblemAlert error={change.error} shownPointers={["/kubeconfig", "/context"]} />
        )}
        {preflight.error && (
          <ProblemAlert error={preflight.error} retry={() => preflight.mutate(cluster.id)} />
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t("rotate_button")}
          </Button>
        </Group>
        <div role="status">{done && t("rotated")}</div>
      </Stack>
    </form>
  );
}
