import { Button, Stack, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Cluster, useRemove } from "~/queries/clusters";
import { ProblemAlert } from "~/ui/problem_alert";

/** Forgets a cluster, once its name was typed. */
export function RemoveForm({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const [typed, setTyped] = useState("");
  const remove = useRemove();
  const navigate = useNavigate();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed.trim() !== cluster.name) return;
    remove.mutate(cluster, { onSuccess: () => navigate({ to: "/clusters" }) });
  }

  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack align="flex-start">
        <TextInput
          w="100%"
          label={t("type_name", { name: cluster.name })}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {remove.error && <ProblemAlert error={remove.error} />}
        <Button
          type="submit"
          color="red"
          disabled={typed.trim() !== cluster.name}
          loading={remove.isPending}
        >
          {t("remove_button")}
        </Button>
      </Stack>
    </form>
  );
}
