import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { type Role, useMe } from "~/queries/accounts";
import { type Member, useChangeMember, useResetMember } from "~/queries/members";
import { signOnOptions } from "~/queries/sign_on";
import { Moment } from "~/ui/moment";
import { ProblemAlert } from "~/ui/problem_alert";
import { RoleSelect } from "~/ui/role_select";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { HandedLink } from "./handed_link";
import { MemberActions, type MemberStep } from "./member_actions";
import { MemberConfirm } from "./member_confirm";

/** Who belongs to the organization; administrators change what each may do. */
export function MembersTable({ members }: { members: Member[] }) {
  const { t } = useTranslation("members");
  const me = useMe();
  const change = useChangeMember();
  const reset = useResetMember();
  const { data: signOn } = useQuery(signOnOptions);
  const [asked, setAsked] = useState<{ member: Member; step: "deactivate" | "remove" } | null>(
    null,
  );
  function take(member: Member, step: MemberStep) {
    change.reset();
    reset.reset();
    if (step === "reset") reset.mutate(member);
    else if (step === "activate") change.mutate({ of: member, change: { active: true } });
    else setAsked({ member, step });
  }
  const error = change.error ?? reset.error;
  return (
    <Stack gap="md">
      {me.may("admin") && members.some((one) => one.of_provider) && (
        <Text size="sm" c="dimmed">
          {t("of_provider_text")}
        </Text>
      )}
      {error && <ProblemAlert error={error} />}
      {reset.data && (
        <HandedLink
          title={t("reset_made", { email: reset.data.email })}
          text={t("reset_text")}
          made={reset.data}
          onDone={reset.reset}
        />
      )}
      <WideTable caption={t("members")} captionHidden minWidth={640} stacked>
        <Table.Head
          columns={[
            t("email"),
            t("role"),
            t("since"),
            t("last_used"),
            me.may("admin") && t("actions"),
          ]}
        />
        <Table.Tbody>
          {members.map((member) => (
            <Table.Tr key={member.user_id}>
              <Table.Th scope="row" fw={400}>
                {member.email}{" "}
                {member.user_id === me.user_id && (
                  <Badge variant="light" tt="none" miw="max-content">
                    {t("yourself")}
                  </Badge>
                )}{" "}
                {member.of_provider && (
                  <Badge variant="light" color="gray" tt="none" miw="max-content">
                    {t("of_provider")}
                  </Badge>
                )}{" "}
                {signOn?.name && member.address_proof === null && (
                  <Badge variant="light" color="gray" tt="none" miw="max-content">
                    {t("address_unproved")}
                  </Badge>
                )}{" "}
                {!member.active && (
                  <Badge variant="light" color="red" tt="none" miw="max-content">
                    {t("deactivated")}
                  </Badge>
                )}
              </Table.Th>
              <Table.Td>
                <MemberRole
                  member={member}
                  busy={change.isPending && change.variables.of.user_id === member.user_id}
                  onChange={(role) => {
                    reset.reset();
                    change.mutate({ of: member, change: { role } });
                  }}
                />
              </Table.Td>
              <Table.Td>
                <Moment at={member.since} />
              </Table.Td>
              <Table.Td>
                {member.last_used_at ? <Moment at={member.last_used_at} /> : t("never")}
              </Table.Td>
              {me.may("admin") && (
                <Table.Td>
                  <MemberActions member={member} onStep={(step) => take(member, step)} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {asked && <MemberConfirm {...asked} onClose={() => setAsked(null)} />}
    </Stack>
  );
}

/** A role is given when it is asked for: arrow keys pass over others on the way to one. */
function MemberRole({ member, busy, onChange }: RoleProps) {
  const { t } = useTranslation("members");
  const word = useWords();
  const me = useMe();
  const [chosen, setChosen] = useState(member.role);
  useEffect(() => setChosen(member.role), [member.role]);
  if (!me.may("admin")) return word("role", member.role);
  return (
    <Group gap="xs" wrap="nowrap">
      <RoleSelect
        size="xs"
        miw="7rem"
        aria-label={t("role_of", { email: member.email })}
        value={chosen}
        onChange={setChosen}
      />
      {chosen !== member.role && (
        <Button
          size="compact-xs"
          miw="max-content"
          aria-label={t("set_role_of", { email: member.email })}
          loading={busy}
          onClick={() => onChange(chosen)}
        >
          {t("set_role")}
        </Button>
      )}
    </Group>
  );
}

interface RoleProps {
  member: Member;
  busy: boolean;
  onChange: (role: Role) => void;
}
