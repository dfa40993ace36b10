import {
  Alert,
  Button,
  Center,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconClockExclamation } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLogIn } from "~/queries/accounts";
import { Brand } from "~/ui/brand";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";

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
    <Center component="main" mih="100vh" p="md" data-ready="true">
      <Paper withBorder p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Brand size={36} />
            <div>
              <Title order={1} size="h3">
                {t("log_in")}
              </Title>
              <Text c="dimmed" size="sm">
                {t("tagline")}
              </Text>
            </div>
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
      </Paper>
    </Center>
  );
}
