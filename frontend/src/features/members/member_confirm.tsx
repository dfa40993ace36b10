import { useTranslation } from "react-i18next";
import { type Member, useChangeMember, useRemoveMember } from "~/queries/members";
import { Confirm } from "~/ui/confirm";

/** Asks before somebody is shut out. */
export function MemberConfirm({
  member,
  step,
  onClose,
}: {
  member: Member;
  step: "deactivate" | "remove";
  onClose: () => void;
}) {
  const { t } = useTranslation("members");
  const change = useChangeMember();
  const remove = useRemoveMember();
  const asked = step === "remove" ? remove : change;
  function confirm() {
    if (step === "remove") remove.mutate(member, { onSuccess: onClose });
    else change.mutate({ of: member, change: { active: false } }, { onSuccess: onClose });
  }
  return (
    <Confirm
      asked
      title={t(`${step}_name`, { email: member.email })}
      text={t(`${step}_text`)}
      action={t(`do_${step}`)}
      error={asked.error}
      pending={asked.isPending}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
