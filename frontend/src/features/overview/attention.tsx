import { Paper, Stack, Title } from "@mantine/core";
import type { Cluster } from "~/queries/clusters";
import { ClusterAlerts } from "~/ui/cluster_alerts";
import { AnchorLink } from "~/ui/link";

/** Clusters whose owner has something to do. */
export function Attention({ clusters }: { clusters: Cluster[] }) {
  return (
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
      {clusters.map((cluster) => (
        <Paper component="li" key={cluster.id} withBorder p="md">
          <Title order={3} size="h5" mb="xs">
            <AnchorLink to="/clusters/$clusterId" params={{ clusterId: cluster.id }} inherit>
              {cluster.name}
            </AnchorLink>
          </Title>
          <ClusterAlerts cluster={cluster} />
        </Paper>
      ))}
    </Stack>
  );
}
