import { Code, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { FavouriteButton } from "~/list_tools/favourite_button";
import { MarksLine } from "~/list_tools/marks_line";
import { ShareLink } from "~/list_tools/share_link";
import { useMe } from "~/queries/accounts";
import { clusterOptions, useLeavingCluster, usePreflight } from "~/queries/clusters";
import { ClusterAlerts } from "~/ui/cluster_alerts";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { isMissing, Missing } from "~/ui/missing";
import { Page } from "~/ui/page";
import { AccessTab } from "./access_tab";
import { FingerprintsTab } from "./fingerprints_tab";
import { NoiseTab } from "./noise_tab";
import { PreflightPanel } from "./preflight_panel";
import type { ClusterSearch } from "./search";
import { SwitchBadge } from "./switch_badge";
import { UnrestoredSwitchAlert } from "./unrestored_switch_alert";

type Tab = NonNullable<ClusterSearch["tab"]>;

const FROM = "/inside/clusters/$clusterId";

/** One cluster: what the preflight found, how it changed over time, who may do what with it. */
export function ClusterPage() {
  const { t } = useTranslation(["clusters", "common"]);
  const { clusterId } = useParams({ from: FROM });
  const { tab = "preflight" } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: "/clusters/$clusterId" });
  const cluster = useQuery({
    ...clusterOptions(clusterId),
    enabled: !useLeavingCluster(clusterId),
  });
  const me = useMe();
  const preflight = usePreflight(cluster.data?.preflighted_at);
  const found = cluster.data;
  if (isMissing(cluster.error)) return <Missing what="cluster" />;
  return (
    <Page
      title={found?.name ?? t("cluster")}
      status={
        found && (
          <>
            <FavouriteButton
              thing="cluster"
              id={found.id}
              name={found.name}
              favourite={found.marks.favourite}
            />
            <SwitchBadge allowed={found.allow_mode_switch} />
          </>
        )
      }
      subtitle={
        found && (
          <>
            <Code>{found.server}</Code>
            {found.description !== "" && <Text mt="xs">{found.description}</Text>}
            <MarksLine thing="cluster" id={found.id} marks={found.marks} />
          </>
        )
      }
      actions={
        <>
          {me.may("operator") && <ShareLink of="cluster" id={clusterId} />}
          <ButtonLink to="/runs" search={{ cluster: clusterId }} variant="default">
            {t("its_runs")}
          </ButtonLink>
          <ButtonLink to="/experiments/new" search={{ cluster: clusterId }}>
            {t("define_experiment")}
          </ButtonLink>
        </>
      }
      ready={!cluster.isPending}
    >
      <Loaded query={cluster} lines={10}>
        {(cluster) => (
          <>
            {(cluster.needs_restore || cluster.restored_elsewhere) && (
              <ClusterAlerts cluster={cluster} />
            )}
            <UnrestoredSwitchAlert cluster={cluster} />
            <Tabs
              value={tab}
              keepMounted={false}
              onChange={(to) =>
                void navigate({ search: { tab: (to as Tab) ?? undefined }, replace: true })
              }
            >
              <Tabs.List mb="lg">
                <Tabs.Tab value="preflight">{t("tab_preflight")}</Tabs.Tab>
                <Tabs.Tab value="noise">{t("tab_noise")}</Tabs.Tab>
                <Tabs.Tab value="fingerprints">{t("tab_fingerprints")}</Tabs.Tab>
                <Tabs.Tab value="access">{t("tab_access")}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="preflight">
                <PreflightPanel cluster={cluster} preflight={preflight} />
              </Tabs.Panel>
              <Tabs.Panel value="noise">
                <NoiseTab cluster={cluster} />
              </Tabs.Panel>
              <Tabs.Panel value="fingerprints">
                <FingerprintsTab cluster={cluster} />
              </Tabs.Panel>
              <Tabs.Panel value="access">
                <AccessTab cluster={cluster} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </Loaded>
    </Page>
  );
}
