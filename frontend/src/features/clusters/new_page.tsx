import { Alert, Button, Group, Stack, Stepper } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useMe } from "~/queries/accounts";
import { clusterOptions, rbacOptions, useRegister } from "~/queries/clusters";
import { Page } from "~/ui/page";
import { type Draft, EMPTY_DRAFT, KubeconfigStep } from "./kubeconfig_step";
import { RbacStep } from "./rbac_step";
import "./registered_state";
import { ResultStep } from "./result_step";

/** Registering a cluster, in three steps: rights, kubeconfig, what came of it. */
export function NewClusterPage() {
  const { t } = useTranslation(["clusters", "common"]);
  const search = useSearch({ from: "/inside/clusters/new" });
  const { step, capability, renew = false, policy, image, secret, cluster } = search;
  const withoutPolicy = policy === "none";
  const asked = { capability: capability ?? "measure", withoutPolicy, renew, image, secret };
  const navigate = useNavigate({ from: "/clusters/new" });
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const register = useRegister();
  const mayRegister = useMe().may("admin");
  const active = step === "result" ? 2 : step === "kubeconfig" && mayRegister ? 1 : 0;
  const manifest = useQuery({ ...rbacOptions(asked), enabled: active === 0 });
  const registered = useQuery({ ...clusterOptions(cluster ?? ""), enabled: active === 2 });

  function go(to: "kubeconfig" | undefined) {
    // From what the address has now: a field that is left for the button changes it too.
    void navigate({ search: (before) => ({ ...before, step: to }) });
  }

  function submit(body: Schemas["NewCluster"]) {
    const own = { bench_image: image ?? null, image_pull_secret: secret ?? null };
    register.mutate(
      { ...body, ...own },
      {
        onSuccess: ({ id, context, dropped }) => {
          // The kubeconfig has done its work; it is in nobody's memory from here on.
          setDraft(EMPTY_DRAFT);
          register.reset();
          void navigate({
            search: { step: "result", cluster: id },
            state: { kept: { context, dropped } },
            replace: true,
          });
        },
      },
    );
  }

  return (
    <Page
      title={t("register")}
      ready={active === 1 || (active === 0 ? !manifest.isPending : !registered.isPending)}
    >
      <Stepper
        active={active}
        size="sm"
        allowNextStepsSelect={false}
        onStepClick={(index) => active < 2 && index === 0 && go(undefined)}
      >
        <Stepper.Step label={t("step_rights")} allowStepSelect={active === 1} />
        <Stepper.Step label={t("step_kubeconfig")} allowStepSelect={false} />
        <Stepper.Step label={t("step_result")} allowStepSelect={false} />
      </Stepper>
      {active === 0 && (
        <Stack gap="lg">
          <RbacStep
            asked={asked}
            onChange={({ capability, withoutPolicy, renew, image, secret }) =>
              void navigate({
                search: {
                  capability,
                  renew: renew || undefined,
                  policy: withoutPolicy ? "none" : undefined,
                  image,
                  secret,
                },
                replace: true,
                resetScroll: false,
              })
            }
          />
          {mayRegister ? (
            <Group justify="flex-end">
              <Button onClick={() => go("kubeconfig")}>{t("common:next")}</Button>
            </Group>
          ) : (
            <Alert icon={<IconLock />} color="gray">
              {t("empty_ask_admin")}
            </Alert>
          )}
        </Stack>
      )}
      {active === 1 && (
        <KubeconfigStep
          draft={draft}
          onChange={setDraft}
          onSubmit={submit}
          onBack={() => go(undefined)}
          pending={register.isPending}
          error={register.error}
        />
      )}
      {active === 2 && cluster !== undefined && <ResultStep clusterId={cluster} />}
    </Page>
  );
}
