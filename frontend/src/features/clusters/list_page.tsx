import { Stack } from "@mantine/core";
import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { clustersOptions } from "~/queries/clusters";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { ClusterCard } from "./cluster_card";

export function ClustersPage() {
  const { t } = useTranslation(["clusters", "common"]);
  const clusters = useQuery(clustersOptions);
  const me = useMe();
  const register = me.may("admin") && (
    <ButtonLink to="/clusters/new" leftSection={<IconPlus size={16} />}>
      {t("register")}
    </ButtonLink>
  );
  return (
    <Page
      title={t("common:clusters")}
      actions={clusters.data?.length !== 0 && register}
      ready={!clusters.isPending}
    >
      <Loaded query={clusters}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState icon={<IconServer2 size={40} />} title={t("empty")} action={register}>
              {me.may("admin") ? t("empty_text") : t("empty_ask_admin")}
            </EmptyState>
          ) : (
            <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: "none" }}>
              {found.map((cluster) => (
                <ClusterCard key={cluster.id} cluster={cluster} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}
