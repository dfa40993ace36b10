import { Badge, Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type LoginSession, useEndSession } from "~/queries/profile";
import { Moment } from "~/ui/moment";
import { ProblemAlert } from "~/ui/problem_alert";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { browserName } from "./browser_name";

/** Sessions that are shown before one asks for the others. */
const FIRST = 10;

/** Where the user is logged in, and since when; to end one, or all others. */
export function Sessions({ sessions }: { sessions: LoginSession[] }) {
  const { t } = useTranslation("profile");
  const end = useEndSession();
  const [all, setAll] = useState(false);
  const known = sessions.toSorted((one, two) => Number(two.current) - Number(one.current));
  return (
    <Stack gap="md">
      {end.error && <ProblemAlert error={end.error} />}
      <WideTable caption={t("sessions")} captionHidden minWidth={680} stacked>
        <Table.Head
          columns={[
            t("browser"),
            t("address"),
            t("logged_in"),
            t("last_seen"),
            t("acts_in"),
            t("actions"),
          ]}
        />
        <Table.Tbody>
          {known.slice(0, all ? known.length : FIRST).map((one) => (
            <Table.Tr key={one.id}>
              <Table.Th scope="row" fw={400} title={one.agent ?? undefined}>
                {browserName(one.agent) ?? t("unknown")}
              </Table.Th>
              <Table.Td>{one.address ?? t("unknown")}</Table.Td>
              <Table.Td>
                <Moment at={one.created_at} />
              </Table.Td>
              <Table.Td>
                {one.last_seen_at ? <Moment at={one.last_seen_at} /> : t("unknown")}
              </Table.Td>
              <Table.Td>{one.organization}</Table.Td>
              <Table.Td>
                {one.current ? (
                  <Badge variant="light" tt="none" miw="max-content">
                    {t("this_one")}
                  </Badge>
                ) : (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t("end_name", {
                      browser: browserName(one.agent) ?? t("unknown"),
                      address: one.address ?? t("unknown"),
                    })}
                    onClick={() => end.mutate(one)}
                  >
                    {t("end")}
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {sessions.length > 1 && (
        <Group>
          {!all && sessions.length > FIRST && (
            <Button variant="default" onClick={() => setAll(true)}>
              {t("all_sessions", { count: sessions.length })}
            </Button>
          )}
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate("others")}>
            {t("end_others")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
