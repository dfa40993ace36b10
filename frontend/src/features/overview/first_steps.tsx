import { Badge, Code, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Trans, useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { ButtonLink } from "~/ui/link";

const STEPS = ["cluster", "experiment", "run"] as const;
const WHERE = {
  cluster: "/clusters/new",
  experiment: "/experiments/new",
  run: "/experiments",
} as const;

type Step = (typeof STEPS)[number];

/** The way from a fresh installation to a first measurement. Undefined is "not known yet". */
export function FirstSteps({ done }: { done: Record<Step, boolean | undefined> }) {
  const { t } = useTranslation("overview");
  const next = STEPS.find((step) => done[step] === false);
  return (
    <Stack gap="sm">
      <SimpleGrid component="ol" cols={{ base: 1, md: 3 }} p={0} m={0} style={PLAIN}>
        {STEPS.map((step, index) => (
          <Paper component="li" key={step} withBorder p="md">
            <Stack gap="xs" align="flex-start" h="100%">
              <Group gap="xs">
                <Text fw={600}>
                  {index + 1}. {t(`step_${step}`)}
                </Text>
                {done[step] && (
                  <Badge
                    color="green"
                    variant="light"
                    tt="none"
                    leftSection={<IconCheck size={12} />}
                  >
                    {t("done")}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed" style={{ flex: 1 }}>
                {t(`step_${step}_text`)}
              </Text>
              {done[step] === false && <StepLink step={step} next={step === next} />}
            </Stack>
          </Paper>
        ))}
      </SimpleGrid>
      {next === "cluster" && (
        <Text size="sm" c="dimmed">
          <Trans ns="overview" i18nKey="make_demo" components={{ code: <Code /> }} />
        </Text>
      )}
    </Stack>
  );
}

const PLAIN = { listStyle: "none" } as const;

function StepLink({ step, next }: { step: Step; next: boolean }) {
  const { t } = useTranslation("overview");
  const me = useMe();
  const role = step === "cluster" ? "admin" : "operator";
  if (!me.may(role)) return <Text size="sm">{t(`ask_${role}`)}</Text>;
  return (
    <ButtonLink to={WHERE[step]} size="xs" variant={next ? "filled" : "default"}>
      {t(`step_${step}_go`)}
    </ButtonLink>
  );
}
