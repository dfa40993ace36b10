import { Alert, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconClockExclamation } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLogIn } from "~/queries/accounts";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { Card } from "./card";

export function LoginPage() {
  const { t } = useTranslation("accounts");
  usePageTitle(t("log_in"));
  const { next, expired } = useSearch({ from: "/login" });
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const logIn = useLogIn();

  function submit(event: FormEvent) {
    event.preventDefault();
    logIn.mutate({ email, password }, { onSuccess: () => navigate({ href: next ?? "/" }) });
  }

  return (
    <Card title={t("log_in")} text={t("tagline")}>
      <form onSubmit={submit}>
        <Stack>
          {expired && !logIn.error && (
            <Alert role="status" variant="light" icon={<IconClockExclamation />}>
              {t("login_expired")}
            </Alert>
          )}
          {logIn.error && <ProblemAlert error={logIn.error} />}
          <TextInput
            label={t("email")}
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={t("password")}
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={logIn.isPending}>
            {t("log_in")}
          </Button>
          <Text c="dimmed" size="xs">
            {t("first_admin")}
          </Text>
        </Stack>
      </form>
    </Card>
  );
}
