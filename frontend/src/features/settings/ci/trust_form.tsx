import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  ScrollArea,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { type CiTrust, type NewCiTrust, useSaveCiTrust } from "~/queries/ci";
import { experimentsOptions } from "~/queries/experiments";
import { Loaded } from "~/ui/loaded";
import { ProblemAlert } from "~/ui/problem_alert";
import { RoleSelect } from "~/ui/role_select";
import { useFaultAt } from "~/ui/use_fault_at";
import { PRESETS, type Preset, readClaims, writeClaims } from "./claims";

const FIELDS = ["/name", "/issuer", "/audience", "/role"];
const isPreset = (text: string): text is Preset => text in PRESETS;

/** Creates a trust, or changes the given trust. */
export function TrustForm({ trust, onDone }: { trust: CiTrust | null; onDone: () => void }) {
  const { t } = useTranslation(["settings", "common"]);
  const save = useSaveCiTrust(trust);
  const at = useFaultAt(save.error);
  const experiments = useQuery(experimentsOptions);
  const [preset, setPreset] = useState<Preset>("github");
  const [name, setName] = useState(trust?.name ?? "");
  const [issuer, setIssuer] = useState<string>(trust?.issuer ?? PRESETS.github.issuer);
  const [audience, setAudience] = useState(trust?.audience ?? "");
  const [claims, setClaims] = useState<string>(
    trust ? writeClaims(trust.claims) : PRESETS.github.claims,
  );
  const [pullRequests, setPullRequests] = useState(trust?.pull_requests ?? false);
  const [role, setRole] = useState<NewCiTrust["role"]>(trust?.role ?? "operator");
  const [chosen, setChosen] = useState<string[]>(trust?.experiment_ids ?? []);

  function choosePreset(text: string) {
    if (!isPreset(text)) return;
    setPreset(text);
    setIssuer(PRESETS[text].issuer);
    setClaims(PRESETS[text].claims);
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    const body: NewCiTrust = {
      name,
      issuer,
      audience: audience || null,
      claims: readClaims(claims),
      pull_requests: pullRequests,
      role,
      experiment_ids: chosen,
    };
    save.mutate(body, { onSuccess: onDone });
  }
  return (
    <form onSubmit={submit} autoComplete="off" className="on-screen">
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          {trust === null && (
            <NativeSelect
              label={t("ci_provider")}
              description={t("ci_provider_text")}
              style={{ flex: "1 1 10rem" }}
              value={preset}
              onChange={(event) => choosePreset(event.currentTarget.value)}
              data={[
                { value: "github", label: t("ci_github") },
                { value: "gitlab", label: t("ci_gitlab") },
                { value: "other", label: t("ci_other") },
              ]}
            />
          )}
          <TextInput
            label={t("name")}
            description={t("name_text")}
            required
            maxLength={200}
            style={{ flex: "2 1 14rem" }}
            value={name}
            error={at("/name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <RoleSelect
            label={t("role")}
            description={t("role_text")}
            style={{ flex: "1 1 10rem" }}
            offered={(one) => one !== "admin"}
            value={role ?? "operator"}
            error={at("/role")}
            onChange={(one) => one !== "admin" && setRole(one)}
          />
        </Group>
        <TextInput
          label={t("ci_issuer")}
          description={t("ci_issuer_text")}
          required
          maxLength={500}
          value={issuer}
          error={at("/issuer")}
          onChange={(event) => setIssuer(event.currentTarget.value)}
        />
        <TextInput
          label={t("ci_audience")}
          description={t("ci_audience_text")}
          placeholder={location.origin}
          maxLength={500}
          value={audience}
          error={at("/audience")}
          onChange={(event) => setAudience(event.currentTarget.value)}
        />
        <Textarea
          label={t("ci_claims")}
          description={t("ci_claims_text")}
          required
          autosize
          minRows={2}
          value={claims}
          error={at("/claims")}
          onChange={(event) => setClaims(event.currentTarget.value)}
        />
        <Checkbox
          label={t("ci_pull_requests")}
          description={t("ci_pull_requests_text")}
          checked={pullRequests}
          onChange={(event) => setPullRequests(event.currentTarget.checked)}
        />
        <Fieldset legend={t("ci_experiments")}>
          <Loaded query={experiments}>
            {(rows) => (
              <ScrollArea.Autosize mah={240} type="auto">
                <Checkbox.Group value={chosen} onChange={setChosen}>
                  <Stack gap={6}>
                    {rows.map((row) => (
                      <Checkbox key={row.id} value={row.id} label={row.name} />
                    ))}
                  </Stack>
                </Checkbox.Group>
              </ScrollArea.Autosize>
            )}
          </Loaded>
        </Fieldset>
        {save.error && <ProblemAlert error={save.error} shownPointers={FIELDS} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {t(trust ? "ci_save" : "ci_trust")}
          </Button>
          <Button variant="default" onClick={onDone}>
            {t("common:cancel")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
