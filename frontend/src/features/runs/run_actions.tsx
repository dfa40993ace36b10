import { Button, Menu } from "@mantine/core";
import {
  IconArrowsDiff,
  IconChevronDown,
  IconDots,
  IconDownload,
  IconFlagCheck,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { ShareLink } from "~/list_tools/share_link";
import { useMe } from "~/queries/accounts";
import { type RunDetail, type Step, useStep } from "~/queries/runs";
import { MenuLink } from "~/ui/menu_link";
import { modeAxes, possibleSteps } from "./allowed";
import { ConfirmStep } from "./confirm_step";

const ICON = 16;
const FORMATS = [
  ["json", "JSON"],
  ["csv", "CSV"],
  ["markdown", "Markdown"],
] as const;
const STEP_ICONS: Record<Step, ReactNode> = {
  cancel: <IconPlayerStop size={ICON} />,
  conclude: <IconFlagCheck size={ICON} />,
  retry: <IconRefresh size={ICON} />,
  resume: <IconPlayerPlay size={ICON} />,
  delete: <IconTrash size={ICON} />,
};

/** What can be done with a run, as far as its state and the user's role allow it. */
export function RunActions({ run }: { run: RunDetail }) {
  const { t } = useTranslation(["runs", "common"]);
  const navigate = useNavigate();
  const mayChange = useMe().may("operator");
  const step = useStep(run.id);
  const [asked, setAsked] = useState<Step | null>(null);
  const { first, more } = possibleSteps(run);

  function go(wanted: Step) {
    step.mutate(wanted, {
      onSuccess: () => {
        setAsked(null);
        if (wanted === "delete") void navigate({ to: "/runs" });
      },
    });
  }

  return (
    <>
      {mayChange &&
        first.map((one) => (
          <Button
            key={one}
            variant={one === "cancel" || one === "conclude" ? "default" : "filled"}
            leftSection={STEP_ICONS[one]}
            onClick={() => setAsked(one)}
          >
            {t(`step_${one}`)}
          </Button>
        ))}
      <ShareLink of="run" id={run.id} />
      <CompareMenu run={run} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots size={ICON} />}>
            {t("common:more")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t("export")}</Menu.Label>
          {FORMATS.map(([format, name]) => (
            <Menu.Item
              key={format}
              component="a"
              href={`/api/v1/runs/${run.id}/export?format=${format}`}
              download
              leftSection={<IconDownload size={ICON} />}
            >
              {name}
            </Menu.Item>
          ))}
          {mayChange && more.length > 0 && <Menu.Divider />}
          {mayChange &&
            more.map((one) => (
              <Menu.Item
                key={one}
                c="var(--mantine-color-error)"
                leftSection={STEP_ICONS[one]}
                onClick={() => setAsked(one)}
              >
                {t(`step_${one}`)}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <ConfirmStep
        step={asked}
        run={run}
        error={step.error}
        pending={step.isPending}
        onConfirm={go}
        onClose={() => {
          setAsked(null);
          step.reset();
        }}
      />
    </>
  );
}

/** With another run, or the run's own modes with each other. */
function CompareMenu({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const others = { baseline: { run: run.id } };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconArrowsDiff size={ICON} />}
          rightSection={<IconChevronDown size={ICON} />}
        >
          {t("compare")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuLink to="/compare" search={others}>
          {t("compare_with_others")}
        </MenuLink>
        {modeAxes(run.spec).map(({ axis, values: [baseline, ...rest] }) => (
          <MenuLink
            key={axis}
            to="/compare"
            search={{
              baseline: { run: run.id, where: { [axis]: baseline } },
              contenders: rest.map((value) => ({ run: run.id, where: { [axis]: value } })),
            }}
          >
            {t("compare_modes", { axis: word("axis", axis) })}
          </MenuLink>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
