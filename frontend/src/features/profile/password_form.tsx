import { Alert, Button, Checkbox, Group, PasswordInput, Stack } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { useMe } from "~/queries/accounts";
import { useChangePassword } from "~/queries/profile";
import { ProblemAlert } from "~/ui/problem_alert";

/** Sets another password, for users who know the current one. */
export function PasswordForm() {
  const { t } = useTranslation("profile");
  const me = useMe();
  const change = useChangePassword();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [keep, setKeep] = useState(false);
  const wrong =
    change.error instanceof ProblemError
      ? change.error.byPointer.get("/current_password")
      : undefined;
  function submit(event: FormEvent) {
    event.preventDefault();
    const body = { current_password: current, new_password: next, keep_tokens: keep };
    const onSuccess = () => {
      setCurrent("");
      setNext("");
    };
    change.mutate(body, { onSuccess });
  }
  return (
    <form onSubmit={submit} className="on-screen">
      <Stack gap="sm" maw={400}>
        {/* For those who have their passwords kept: whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={me.email} />
        <PasswordInput
          label={t("current_password")}
          autoComplete="current-password"
          required
          value={current}
          error={wrong?.message.text}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label={t("new_password")}
          description={t("new_password_text")}
          autoComplete="new-password"
          required
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        <Checkbox
          label={t("keep_tokens")}
          description={t("keep_tokens_text")}
          checked={keep}
          onChange={(event) => setKeep(event.currentTarget.checked)}
        />
        {change.error && (
          <ProblemAlert error={change.error} shownPointers={["/current_password"]} />
        )}
        {change.isSuccess && (
          <Alert role="status" color="green" variant="light" icon={<IconCheck />}>
            {t("password_changed")}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t("change_password")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
