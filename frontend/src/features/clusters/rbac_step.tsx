import { Alert, Box, Button, List, Radio, Stack, Switch, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconDownload, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Capability, type Rbac, rbacOptions } from "~/queries/clusters";
import { CodeBlock } from "~/ui/code_block";
import { Loaded } from "~/ui/loaded";
import { ImageFields, type OwnImage } from "./image_fields";

const CAPABILITIES: Rbac["capability"][] = ["measure", "host_access", "switch_modes"];

const APPLY = "kubectl apply -f podmeter-rbac.yaml";
/** As the manifest's own header has it: the token never passes through anything but these hands. */
const KUBECONFIG = `TOKEN=$(kubectl --namespace podmeter create token podmeter --duration=720h)
kubectl config view --minify --flatten --raw --output json |
  jq --arg token "$TOKEN" '.users[0].user = {token: $token}' >podmeter-kubeconfig.json`;

/** The wizard's first step: what Podmeter may do, as a manifest that the owner applies. */
export function RbacStep({ asked, onChange }: { asked: Rbac; onChange: (asked: Rbac) => void }) {
  const { t } = useTranslation("clusters");
  const manifest = useQuery(rbacOptions(asked));
  const { capability } = asked;
  const [image, setImage] = useState<OwnImage>({
    bench_image: asked.image ?? null,
    image_pull_secret: asked.secret ?? null,
  });
  return (
    <Stack gap="xl">
      <Radio.Group
        label={t("rbac_question")}
        value={capability}
        onChange={(value) => onChange({ ...asked, capability: value as Rbac["capability"] })}
      >
        <Stack gap="sm" mt="sm">
          {CAPABILITIES.map((one) => (
            <Radio
              key={one}
              value={one}
              label={t(`capability_${one}`)}
              description={t(`capability_${one}_text`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <AmountsTo capability={capability} />
      <Switch
        label={t("may_renew")}
        description={t("amounts_to_renew")}
        checked={asked.renew}
        onChange={(event) => onChange({ ...asked, renew: event.currentTarget.checked })}
      />
      <Switch
        label={t("without_policy")}
        description={t("without_policy_text")}
        checked={asked.withoutPolicy}
        onChange={(event) => onChange({ ...asked, withoutPolicy: event.currentTarget.checked })}
      />
      {/* Asked for once a field is left, not at each key. */}
      <Box
        maw={760}
        onBlur={() =>
          onChange({
            ...asked,
            image: image.bench_image ?? undefined,
            secret: image.image_pull_secret ?? undefined,
          })
        }
      >
        <ImageFields image={image} onChange={setImage} at={() => undefined} />
      </Box>
      <List type="ordered" spacing="xl" withPadding={false} listStyleType="none">
        <List.Item styles={WIDE}>
          <Title order={2} size="h5" mb="xs">
            {t("rbac_1")}
          </Title>
          <Loaded query={manifest} lines={10}>
            {(text) => (
              <CodeBlock
                text={text}
                label={t("manifest")}
                maxHeight={320}
                actions={<Download text={text} />}
              />
            )}
          </Loaded>
        </List.Item>
        <List.Item styles={WIDE}>
          <Title order={2} size="h5" mb="xs">
            {t("rbac_2")}
          </Title>
          <CodeBlock text={APPLY} label={t("commands")} />
        </List.Item>
        <List.Item styles={WIDE}>
          <Title order={2} size="h5" mb={4}>
            {t("rbac_3")}
          </Title>
          <Text size="sm" c="dimmed" mb="xs">
            {t("rbac_3_text")}
          </Text>
          <CodeBlock text={KUBECONFIG} label={t("commands")} />
        </List.Item>
      </List>
    </Stack>
  );
}

/** What the capability is worth to anyone who holds the token. */
function AmountsTo({ capability }: { capability: Capability }) {
  const { t } = useTranslation("clusters");
  const harmless = capability === "measure";
  return (
    <Alert
      role="note"
      variant="light"
      color={harmless ? "gray" : "orange"}
      icon={harmless ? <IconInfoCircle /> : <IconAlertTriangle />}
      title={harmless ? undefined : t("cluster_admin")}
    >
      {t(`amounts_to_${capability}`)}
    </Alert>
  );
}

/** An item as wide as the list, so that long lines scroll inside it. */
const WIDE = {
  itemWrapper: { display: "block" },
  itemLabel: { display: "block", minWidth: 0 },
} as const;

function Download({ text }: { text: string }) {
  const { t } = useTranslation("clusters");
  return (
    <Button
      component="a"
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} />}
      href={`data:application/yaml;charset=utf-8,${encodeURIComponent(text)}`}
      download="podmeter-rbac.yaml"
    >
      {t("download")}
    </Button>
  );
}
