import { Anchor, Text } from "@mantine/core";
import { IconCamera } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { snapshotsOptions } from "~/queries/snapshots";
import { EmptyState } from "~/ui/empty_state";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { subjectOf } from "./search";
import { ShareDialog } from "./share_dialog";
import { SnapshotTable } from "./snapshot_table";

/** Everything that is public, and the dialog that makes something so. */
export function SnapshotsPage() {
  const { t } = useTranslation("snapshots");
  const { share } = useSearch({ from: "/inside/snapshots" });
  const navigate = useNavigate({ from: "/snapshots" });
  const snapshots = useQuery(snapshotsOptions);
  const subject = subjectOf(share);
  return (
    <Page
      title={t("title")}
      subtitle={<Text c="dimmed">{t("subtitle")}</Text>}
      ready={!snapshots.isPending}
    >
      {subject && (
        <ShareDialog key={share} subject={subject} onClose={() => navigate({ search: {} })} />
      )}
      <Loaded query={snapshots}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={<IconCamera size={40} />}
              title={t("empty")}
              action={
                <Anchor component={Link} to="/runs">
                  {t("to_runs")}
                </Anchor>
              }
            >
              {t("empty_text")}
            </EmptyState>
          ) : (
            <SnapshotTable snapshots={rows} />
          )
        }
      </Loaded>
    </Page>
  );
}
