import { Button, Group, NativeSelect, NumberInput, Stack, TextInput } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { useMessageText } from "~/i18n/messages";
import { useWords } from "~/i18n/words";
import type { Role } from "~/queries/accounts";
import { useInvite } from "~/queries/members";
import { ProblemAlert } from "~/ui/problem_alert";
import { HandedLink } from "./handed_link";
import { ROLES } from "./roles";

const FIELDS = ["/email", "/role", "/expires_in_days"];

/** Makes an invitation, and shows its link the one time that it can be seen. */
export function Invite() {
  const { t } = useTranslation("members");
  const word = useWords();
  const say = useMessageText();
  const invite = useInvite();
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
  const faults = invite.error instanceof ProblemError ? invite.error.byPointer : null;
  const at = (pointer: string) => {
    const fault = faults?.get(pointer);
    return fault && say(fault.message);
  };
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
          <NativeSelect
            label={t("role")}
            description={t("role_text")}
            style={{ flex: "1 1 10rem" }}
            data={ROLES.map((value) => ({ value, label: word("role", value) }))}
            value={role}
            error={at("/role")}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
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
