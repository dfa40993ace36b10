import { Badge, Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { useMe, useSwitch } from "~/queries/accounts";
import { type OwnOrganization, useCreateOrganization, useLeave } from "~/queries/profile";
import { Confirm } from "~/ui/confirm";
import { ProblemAlert } from "~/ui/problem_alert";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";

/** Where the user belongs: to go there, to leave, to make another one. */
export function OwnOrganizations({ organizations }: { organizations: OwnOrganization[] }) {
  const { t } = useTranslation("profile");
  const word = useWords();
  const me = useMe();
  const go = useSwitch();
  const [left, setLeft] = useState<OwnOrganization | null>(null);
  return (
    <Stack gap="lg">
      {go.error && <ProblemAlert error={go.error} />}
      <WideTable caption={t("organizations")} captionHidden minWidth={480}>
        <Table.Head columns={[t("organization"), t("role"), t("actions")]} />
        <Table.Tbody>
          {organizations.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Th scope="row" fw={400}>
                {one.name}{" "}
                {one.current && (
                  <Badge variant="light" tt="none" miw="max-content">
                    {t("current")}
                  </Badge>
                )}
              </Table.Th>
              <Table.Td>{word("role", one.role)}</Table.Td>
              <Table.Td>
                <Group gap="xs">
                  {!one.current && (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={t("switch_name", { name: one.name })}
                      onClick={() => go.mutate(one.id, { onSuccess: () => location.assign("/") })}
                    >
                      {t("switch")}
                    </Button>
                  )}
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t("leave_name", { name: one.name })}
                    onClick={() => setLeft(one)}
                  >
                    {t("leave")}
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {me.may("admin") && <NewOrganization />}
      {left && <Leave organization={left} onClose={() => setLeft(null)} />}
    </Stack>
  );
}

function Leave({ organization, onClose }: { organization: OwnOrganization; onClose: () => void }) {
  const { t } = useTranslation("profile");
  const leave = useLeave();
  // All that the page holds is of the organization that it was about.
  const after = () => (organization.current ? location.assign("/") : onClose());
  return (
    <Confirm
      asked
      title={t("leave_name", { name: organization.name })}
      text={t("leave_text")}
      action={t("leave")}
      error={leave.error}
      pending={leave.isPending}
      onConfirm={() => leave.mutate(organization, { onSuccess: after })}
      onClose={onClose}
    />
  );
}

function NewOrganization() {
  const { t } = useTranslation("profile");
  const create = useCreateOrganization();
  const [name, setName] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(name, { onSuccess: () => setName("") });
  }
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t("new_organization")}
            description={t("new_organization_text")}
            required
            maxLength={200}
            style={{ flex: "1 1 14rem" }}
            maw={480}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={create.isPending}>
            {t("create")}
          </Button>
        </Group>
        {create.error && <ProblemAlert error={create.error} />}
      </Stack>
    </form>
  );
}
