import { Alert, Button, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Role, useMe } from "~/queries/accounts";
import { type MintedToken, useMint } from "~/queries/tokens";
import { CodeBlock } from "~/ui/code_block";
import { ProblemAlert } from "~/ui/problem_alert";
import { RoleSelect } from "~/ui/role_select";
import { useFaultAt } from "~/ui/use_fault_at";
import { ReachField, scopeOf } from "./reach_field";

const FIELDS = ["/name", "/role", "/expires_in_days"];

/** Makes a token, and shows its secret the one time that it can be seen. */
export function MintToken() {
  const { t } = useTranslation("settings");
  const me = useMe();
  const mint = useMint();
  const at = useFaultAt(mint.error);
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [reach, setReach] = useState("");
  const [days, setDays] = useState<number | string>(90);
  if (mint.data) return <Minted token={mint.data} onDone={mint.reset} />;

  function submit(event: FormEvent) {
    event.preventDefault();
    const asked = { name, role, expires_in_days: Number(days), ...scopeOf(reach) };
    mint.mutate(asked, { onSuccess: () => setName("") });
  }
  return (
    <form onSubmit={submit} autoComplete="off" className="on-screen">
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <TextInput
            label={t("name")}
            description={t("name_text")}
            required
            maxLength={200}
            style={{ flex: "2 1 14rem" }}
            value={name}
            error={at("/name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <RoleSelect
            label={t("role")}
            description={t("role_text")}
            style={{ flex: "1 1 10rem" }}
            offered={me.may}
            value={role}
            error={at("/role")}
            onChange={setRole}
          />
          <ReachField value={reach} onChange={setReach} />
          <NumberInput
            label={t("days")}
            description={t("days_text")}
            required
            min={1}
            max={365}
            allowDecimal={false}
            style={{ flex: "1 1 10rem" }}
            value={days}
            error={at("/expires_in_days")}
            onChange={setDays}
          />
        </Group>
        {mint.error && <ProblemAlert error={mint.error} shownPointers={FIELDS} />}
        <Group>
          <Button type="submit" loading={mint.isPending} leftSection={<IconKey size={16} />}>
            {t("mint")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Minted({ token, onDone }: { token: MintedToken; onDone: () => void }) {
  const { t } = useTranslation("settings");
  const example = `curl --header "Authorization: Bearer $PODMETER_TOKEN" ${location.origin}/api/v1/runs`;
  return (
    <Alert
      role="status"
      color="green"
      variant="light"
      icon={<IconKey />}
      title={t("minted", { name: token.name })}
    >
      <Stack gap="md" align="stretch">
        <Text size="sm">{t("minted_text")}</Text>
        <CodeBlock text={token.token} label={t("token")} />
        <Text size="sm">{t("example")}</Text>
        <CodeBlock text={example} label={t("example")} />
        <Group>
          <Button variant="default" onClick={onDone}>
            {t("noted")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
