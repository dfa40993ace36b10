import { Button, PasswordInput, Skeleton, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { useAcceptInvitation, useReadInvitation } from "~/queries/accounts";
import { Facts } from "~/ui/facts";
import { Moment } from "~/ui/moment";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { Card } from "./card";
import { useLinkRead } from "./link_token";

/** Where an invitation's link leads: what it offers, and to accept it. */
export function JoinPage() {
  const { t } = useTranslation("accounts");
  usePageTitle(t("join"));
  const word = useWords();
  const read = useReadInvitation();
  const accept = useAcceptInvitation();
  const token = useLinkRead(read.mutate);
  const [password, setPassword] = useState("");
  const [another, setAnother] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    // Anyone who was logged in before is somebody else now: nothing of theirs is kept.
    const chosen = another ? { new_password: another } : {};
    accept.mutate({ token, password, ...chosen }, { onSuccess: () => location.assign("/") });
  }
  const offer = read.data;
  return (
    <Card title={t("join")} text={t("tagline")} ready={!read.isPending && !read.isIdle}>
      {read.error && <ProblemAlert error={read.error} />}
      {!read.error && !offer && <Skeleton height={120} />}
      {offer && (
        <form onSubmit={submit}>
          <Stack>
            <Facts
              columns={1}
              facts={[
                { term: t("organization"), value: offer.organization },
                { term: t("role"), value: word("role", offer.role) },
                { term: t("email"), value: offer.email },
                { term: t("good_until"), value: <Moment at={offer.expires_at} /> },
              ]}
            />
            <input type="hidden" name="username" autoComplete="username" value={offer.email} />
            <Text size="sm">{t(offer.known ? "join_known" : "join_new")}</Text>
            <PasswordInput
              label={t("password")}
              description={offer.known ? undefined : t("password_least")}
              autoComplete={offer.known ? "current-password" : "new-password"}
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {offer.known && (
              <PasswordInput
                label={t("join_another")}
                description={t("join_another_text")}
                autoComplete="new-password"
                value={another}
                onChange={(event) => setAnother(event.currentTarget.value)}
              />
            )}
            {accept.error && <ProblemAlert error={accept.error} />}
            <Button type="submit" loading={accept.isPending}>
              {t("accept")}
            </Button>
          </Stack>
        </form>
      )}
    </Card>
  );
}
