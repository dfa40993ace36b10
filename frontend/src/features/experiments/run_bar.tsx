import { Button, Checkbox, Group, Paper, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import classes from "./experiments.module.css";
import { SwitchConfirmation } from "./switch_confirmation";
import type { PlanState } from "./use_plan";
import type { TargetClusters } from "./use_target_clusters";

interface RunBarProps {
  where: TargetClusters;
  state: PlanState;
  /** Whether running keeps the specification first. */
  savesFirst: boolean;
  starting: boolean;
  onRun: (clusterId: string | null, force: boolean) => void;
}

/** The start, with where it would run or why it cannot; in sight wherever the page is scrolled. */
export function RunBar({ where, state, savesFirst, starting, onRun }: RunBarProps) {
  const { t } = useTranslation("experiments");
  const why = useId();
  const [confirming, setConfirming] = useState(false);
  const { named, chosen, measured, whyNot, needsForce } = where;
  const [forced, setForced] = useState(false);
  const force = needsForce && forced;
  const waits = whyNot ?? (needsForce && !forced ? t("needs_force") : undefined);
  const { plan } = state;

  function run() {
    setConfirming(false);
    onRun(named.length > 0 ? null : (chosen?.id ?? null), force);
  }

  return (
    <Paper withBorder shadow="md" px="md" py="xs" className={classes.bar}>
      <Group justify="flex-end" gap="sm">
        <Text size="sm" id={why} role="status" style={{ flex: "1 1 12rem" }}>
          {waits ?? t("runs_on", { names: listed(measured.map(({ name }) => name)) })}
        </Text>
        {needsForce && whyNot === undefined && (
          <Checkbox
            size="sm"
            label={t("force")}
            checked={forced}
            onChange={(event) => setForced(event.currentTarget.checked)}
          />
        )}
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          disabled={waits !== undefined}
          loading={starting}
          aria-describedby={why}
          onClick={() => (plan && plan.switches.length > 0 ? setConfirming(true) : run())}
        >
          {t(savesFirst ? "save_and_run" : "run")}
        </Button>
      </Group>
      {plan && (
        <SwitchConfirmation
          opened={confirming}
          plan={plan}
          clusters={measured}
          onClose={() => setConfirming(false)}
          // The dialog can be clicked until it has faded.
          onConfirm={() => confirming && run()}
        />
      )}
    </Paper>
  );
}
