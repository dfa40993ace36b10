import { Badge, Loader } from "@mantine/core";
import { IconCheck, IconCircleDashed, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Cluster } from "~/queries/clusters";

type State = Cluster["preflight_state"];

const LOOKS: Record<State, readonly [color: string, icon: ReactNode]> = {
  never: ["gray", <IconCircleDashed key="i" size={12} />],
  queued: ["blue", <Loader key="i" size={10} />],
  running: ["blue", <Loader key="i" size={10} />],
  succeeded: ["green", <IconCheck key="i" size={12} />],
  failed: ["red", <IconX key="i" size={12} />],
};

/** Where the latest preflight is, by word and sign. */
export function PreflightBadge({ state }: { state: State }) {
  const { t } = useTranslation("clusters");
  const [color, icon] = LOOKS[state];
  return (
    <Badge color={color} variant="light" leftSection={icon} tt="none" style={{ flexShrink: 0 }}>
      {t(`preflight_${state}`)}
    </Badge>
  );
}
