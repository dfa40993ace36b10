import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { invitationsOptions, useTakeBack } from "~/queries/members";
import { Confirm, useConfirmed } from "~/ui/confirm";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { Invite } from "./invite";

/** Who was invited and has not come yet; to invite, and to take an invitation back. */
export function Invitations() {
  const { t } = useTranslation("members");
  const word = useWords();
  const invitations = useQuery(invitationsOptions);
  const takingBack = useConfirmed(useTakeBack());
  return (
    <Stack gap="lg">
      <Loaded query={invitations} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm">{t("no_invitations")}</Text>
          ) : (
            <WideTable caption={t("invitations")} captionHidden minWidth={560} stacked>
              <Table.Head columns={[t("email"), t("role"), t("expires"), t("actions")]} />
              <Table.Tbody>
                {rows.map((row) => (
                  <Table.Tr key={row.id}>
                    <Table.Th scope="row" fw={400}>
                      {row.email}
                    </Table.Th>
                    <Table.Td>{word("role", row.role)}</Table.Td>
                    <Table.Td>
                      <Moment at={row.expires_at} />
                    </Table.Td>
                    <Table.Td>
                      <Button
                        size="xs"
                        variant="default"
                        onClick={() => takingBack.ask(row)}
                        aria-label={t("take_back_name", { email: row.email })}
                      >
                        {t("take_back")}
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
      <Invite />
      <Confirm
        {...takingBack.dialog}
        title={t("take_back_name", { email: takingBack.item?.email ?? "" })}
        text={t("take_back_text")}
        action={t("take_back")}
      />
    </Stack>
  );
}
