import { List, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

type Impact = Schemas["PlanView"]["impact"];

/** What workloads on a cluster feel of a switch. */
const OF_SWITCHES = new Set(["impact_outage", "impact_outage_anywhere", "impact_recreated"]);

/** What a run does to its clusters, said before anything runs. */
export function PlanImpact({ impact }: { impact: Impact }) {
  const { t } = useTranslation("experiments");
  if (impact.length === 0) return null;
  return (
    <div data-impact>
      <Title order={3} size="h6" mb={4}>
        {t("impact_title")}
      </Title>
      <ImpactList impact={impact} />
    </div>
  );
}

/** Of that, what its switches do. */
export function SwitchImpact({ impact }: { impact: Impact }) {
  const ofSwitches = impact.filter(({ code }) => OF_SWITCHES.has(code));
  return ofSwitches.length > 0 && <ImpactList impact={ofSwitches} />;
}

function ImpactList({ impact }: { impact: Impact }) {
  return (
    <List size="sm" spacing={4}>
      {impact.map((one) => (
        <List.Item key={one.text}>
          <Text size="sm" span tt="none">
            {sentence(one.text)}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}

/** Messages begin in lower case and have no full stop. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
