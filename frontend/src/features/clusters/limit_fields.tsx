import { Group, NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

export type Limits = Pick<
  Schemas["ClusterView"],
  "max_requests_per_second" | "max_bandwidth_bits_per_second"
>;

const MEGA = 1_000_000;

/** The most that runs may send; an empty field is unlimited. Bandwidth is typed in Mbit/s. */
export function LimitFields({
  limits: { max_requests_per_second: requests, max_bandwidth_bits_per_second: bandwidth },
  onChange,
  at,
}: {
  limits: Limits;
  onChange: (changed: Partial<Limits>) => void;
  at: (pointer: string) => string | undefined;
}) {
  const { t } = useTranslation("clusters");
  return (
    <Group align="flex-start" gap="lg">
      <NumberInput
        label={t("max_requests")}
        description={t("max_requests_text")}
        placeholder={t("unlimited")}
        value={requests ?? ""}
        min={1}
        allowDecimal={false}
        thousandSeparator=","
        error={at("/max_requests_per_second")}
        onChange={(given) => onChange({ max_requests_per_second: limitOf(given, 1) })}
        style={{ flex: "1 1 16rem" }}
      />
      <NumberInput
        label={t("max_bandwidth")}
        description={t("max_bandwidth_text")}
        placeholder={t("unlimited")}
        value={bandwidth === null ? "" : bandwidth / MEGA}
        min={0.001}
        thousandSeparator=","
        error={at("/max_bandwidth_bits_per_second")}
        onChange={(given) => onChange({ max_bandwidth_bits_per_second: limitOf(given, MEGA) })}
        style={{ flex: "1 1 16rem" }}
      />
    </Group>
  );
}

function limitOf(given: number | string, unit: number): number | null {
  return typeof given === "number" ? Math.round(given * unit) : null;
}
