import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconKey, IconUserCheck, IconUserOff, IconUserX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Member } from "~/queries/members";

export type MemberStep = "reset" | "deactivate" | "activate" | "remove";

const ICONS = {
  reset: IconKey,
  deactivate: IconUserOff,
  activate: IconUserCheck,
  remove: IconUserX,
} as const;

/** What can be done about a member. */
export function MemberActions({
  member,
  onStep,
}: {
  member: Member;
  onStep: (step: MemberStep) => void;
}) {
  const { t } = useTranslation("members");
  const steps: MemberStep[] = [
    ...(member.of_provider ? [] : (["reset"] as const)),
    member.active ? "deactivate" : "activate",
    "remove",
  ];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("actions_of", { email: member.email })}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {steps.map((step) => {
          const Icon = ICONS[step];
          return (
            <Menu.Item key={step} leftSection={<Icon size={16} />} onClick={() => onStep(step)}>
              {t(`do_${step}`)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
