import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { followed } from "~/i18n/punctuation";
import { type Capability, type Cluster, useChange, usePreflight } from "~/queries/clusters";
import { AnchorLink } from "~/ui/link";
import { ProblemAlert } from "~/ui/problem_alert";
import { useFaultAt } from "~/ui/use_fault_at";
import { AllowHostNamesField } from "./allow_host_names_field";
import { AllowSwitchField } from "./allow_switch_field";
import { ByHandField } from "./by_hand_field";
import { FormProblem } from "./form_problem";
import { ImageFields } from "./image_fields";
import { LimitFields } from "./limit_fields";
import { NameFields } from "./name_fields";
import { manifestSearch } from "./search";

const AT_FIELDS = [
  ...["/name", "/description", "/bench_image", "/image_pull_secret"],
  ...["/max_requests_per_second", "/max_bandwidth_bits_per_second"],
];

/**
 * Name, description, the image of the measuring pods, whether modes may be switched, limits. A change
 * is made from the version that the form was filled with, so that what somebody else changed
 * meanwhile is not undone unseen.
 */
export function DetailsForm({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation(["clusters", "common"]);
  const [base, setBase] = useState(cluster);
  const [draft, setDraft] = useState(cluster);
  const change = useChange();
  const preflight = usePreflight();
  const at = useFaultAt(change.error);
  const stale = change.error instanceof ProblemError && change.error.status === 412;

  // Nothing was typed yet, so what was changed elsewhere may be shown.
  if (cluster.version !== base.version && draft === base) fill(cluster);

  function fill(from: Cluster) {
    setBase(from);
    setDraft(from);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const { name, description, allow_mode_switch, allow_host_names } = draft;
    const { renew_credential, allow_switch_by_hand, switch_by_hand_minutes } = draft;
    const { bench_image, image_pull_secret } = draft;
    const { max_requests_per_second, max_bandwidth_bits_per_second } = draft;
    change.mutate(
      {
        of: base,
        change: {
          name,
          description,
          allow_mode_switch,
          allow_host_names,
          renew_credential,
          allow_switch_by_hand,
          switch_by_hand_minutes,
          bench_image,
          image_pull_secret,
          max_requests_per_second,
          max_bandwidth_bits_per_second,
        },
      },
      {
        onSuccess: (changed) => {
          fill(changed);
          // What was found with the other image holds no longer.
          if (hasOtherImage(changed, base)) preflight.mutate(changed.id);
        },
      },
    );
  }

  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <NameFields value={draft} onChange={(part) => setDraft({ ...draft, ...part })} at={at} />
        <ImageFields image={draft} onChange={(image) => setDraft({ ...draft, ...image })} at={at} />
        <Text size="sm">
          {followed(t("image_manifest"))}
          <AnchorLink
            to="/clusters/new"
            search={manifestSearch(draft, mostAllowed(cluster))}
            inherit
            underline="always"
          >
            {t("to_manifest")}
          </AnchorLink>
        </Text>
        <AllowSwitchField
          checked={draft.allow_mode_switch}
          onChange={(allow_mode_switch) => setDraft({ ...draft, allow_mode_switch })}
        />
        <Checkbox
          label={t("renew_credential")}
          description={t("renew_credential_text")}
          checked={draft.renew_credential}
          onChange={(event) =>
            setDraft({ ...draft, renew_credential: event.currentTarget.checked })
          }
        />
        <ByHandField value={draft} onChange={(changed) => setDraft({ ...draft, ...changed })} />
        <AllowHostNamesField
          checked={draft.allow_host_names}
          onChange={(allow_host_names) => setDraft({ ...draft, allow_host_names })}
        />
        <LimitFields
          limits={draft}
          onChange={(limits) => setDraft({ ...draft, ...limits })}
          at={at}
        />
        <FormProblem error={change.error} atFields={AT_FIELDS} />
        {preflight.error && (
          <ProblemAlert error={preflight.error} retry={() => preflight.mutate(cluster.id)} />
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t("common:save")}
          </Button>
          {stale && (
            <Button
              variant="default"
              onClick={() => {
                change.reset();
                fill(cluster);
              }}
            >
              {t("show_current")}
            </Button>
          )}
          <Saved shown={change.isSuccess && draft === base} />
        </Group>
      </Stack>
    </form>
  );
}

function hasOtherImage(one: Cluster, other: Cluster): boolean {
  return one.bench_image !== other.bench_image || one.image_pull_secret !== other.image_pull_secret;
}

/** The capability whose manifest was applied, as far as the preflight could tell. */
function mostAllowed({ capabilities }: Cluster): Capability {
  const rights = capabilities?.rights ?? {};
  const order: Capability[] = ["switch_modes", "host_access"];
  return order.find((one) => rights[one]?.allowed) ?? "measure";
}

function Saved({ shown }: { shown: boolean }) {
  const { t } = useTranslation("clusters");
  return (
    <Text size="sm" role="status">
      {shown && t("saved")}
    </Text>
  );
}
