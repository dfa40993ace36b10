import { Button, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "~/queries/accounts";
import { useInvite } from "~/queries/members";
import { ProblemAlert } from "~/ui/problem_alert";
import { RoleSelect } from "~/ui/role_select";
import { useFaultAt } from "~/ui/use_fault_at";
import { HandedLink } from "./handed_link";

const FIELDS = ["/email", "/role", "/expires_in_days"];

/** Makes an invitation, and shows its link the one time that it can be seen. */
export function Invite() {
  const { t } = useTranslation("members");
  const invite = useInvite();
  const at = useFaultAt(invite.error);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [days, setDays] = useState<number | string>(7);
  if (invite.data) {
    return (
      <HandedLink
        title={t("invited", { email: invite.data.email })}
        text={t("invited_text")}
        made={invite.data}
        onDone={invite.reset}
      />
    );
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    const body = { email, role, expires_in_days: Number(days) };
    invite.mutate(body, { onSuccess: () => setEmail("") });
  }
  return (
    <form onSubmit={submit} autoComplete="off" className="on-screen">
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <TextInput
            label={t("email")}
            description={t("email_text")}
            type="email"
            required
            maxLength={320}
            style={{ flex: "2 1 14rem" }}
            value={email}
            error={at("/email")}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <RoleSelect
            label={t("role")}
            description={t("role_text")}
            style={{ flex: "1 1 10rem" }}
            value={role}
            error={at("/role")}
            onChange={setRole}
          />
          <NumberInput
            label={t("days")}
            description={t("days_text")}
            required
            min={1}
            max={30}
            allowDecimal={false}
            style={{ flex: "1 1 10rem" }}
            value={days}
            error={at("/expires_in_days")}
            onChange={setDays}
          />
        </Group>
        {invite.error && <ProblemAlert error={invite.error} shownPointers={FIELDS} />}
        <Group>
          <Button type="submit" loading={invite.isPending} leftSection={<IconUserPlus size={16} />}>
            {t("invite")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
