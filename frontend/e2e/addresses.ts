import { type Rest, stack } from "./fixtures";

interface List {
  items: { id: string; kind?: string; outcome?: string | null }[];
}

/** An address of every route of the router, with the data of the first run that succeeded. */
export async function addresses(rest: Rest): Promise<Record<string, string>> {
  const first = async (path: string): Promise<string> => {
    const { items } = await rest.get<List>(path);
    const [found] = items;
    if (found === undefined) throw new Error(`nothing in ${path}`);
    return found.id;
  };
  const { items: runs } = await rest.get<List>("/runs?limit=100");
  const run = runs.findLast((one) => one.outcome === "succeeded");
  if (run === undefined) throw new Error("no run succeeded");
  const cluster = await first("/clusters");
  const experiment = await first("/experiments");
  const { items: trials } = await rest.get<{ items: { id: number }[] }>(`/runs/${run.id}/trials`);
  const compared = await rest.post<{ id: string }>("/comparisons", {
    baseline: { run_id: run.id },
    contenders: [{ run_id: run.id }],
  });
  const invitation = await invited(rest);
  const reset = await rest.post<{ link: string }>(
    `/members/${(await newMember(rest)).id}/password-reset`,
  );
  return {
    "/": "/",
    $: "/nowhere",
    "/login": "/login",
    "/sign-on": "/sign-on",
    "/join": inside(invitation),
    "/reset": inside(reset),
    "/clusters": "/clusters",
    "/clusters/new": "/clusters/new",
    "/clusters/$clusterId": `/clusters/${cluster}`,
    "/clusters/$clusterId noise": `/clusters/${cluster}?tab=noise`,
    "/clusters/$clusterId fingerprints": `/clusters/${cluster}?tab=fingerprints`,
    "/clusters/$clusterId access": `/clusters/${cluster}?tab=access`,
    "/experiments": "/experiments",
    "/experiments/new": "/experiments/new",
    "/experiments/$experimentId": `/experiments/${experiment}`,
    "/runs": "/runs",
    "/runs/$runId": `/runs/${run.id}`,
    "/runs/$runId cases": `/runs/${run.id}?tab=cases`,
    "/runs/$runId results": `/runs/${run.id}?tab=results`,
    "/runs/$runId log": `/runs/${run.id}?tab=log`,
    "/runs/$runId environment": `/runs/${run.id}?tab=environment`,
    "/runs/$runId specification": `/runs/${run.id}?tab=specification`,
    "/runs/$runId trial": `/runs/${run.id}?trial=${trials[0]?.id}`,
    "/imports": "/imports",
    "/compare": "/compare",
    "/comparisons": "/comparisons",
    "/compare/$comparisonId": `/compare/${compared.id}`,
    "/references": "/references",
    "/references/$referenceId": "/references/iptables-ipvs-ladder",
    "/references/reproduced": `/references/reproduced?of=cilium-native-routing-2023:${run.id}`,
    "/snapshots": "/snapshots",
    "/snapshots share": `/snapshots?share=run:${run.id}`,
    "/settings": "/settings",
    "/settings/ci": "/settings/ci",
    "/members": "/members",
    "/audit": "/audit",
    "/profile": "/profile",
  };
}

const inside = ({ link }: { link: string }) => link.replace(/^https?:\/\/[^/]+/, "");

async function invited(rest: Rest): Promise<{ link: string; email: string }> {
  const email = `guest-${crypto.randomUUID()}@example.org`;
  return await rest.post("/invitations", { email });
}

/** Of their own for anyone who asks: a later link would make an earlier one worth nothing. */
export async function newMember(rest: Rest): Promise<{ id: string; email: string }> {
  const { email, link } = await invited(rest);
  const token = link.split("#")[1];
  const answer = await fetch(`${stack.url}/api/v1/auth/invitation/accept`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password: "a password for a guest" }),
  });
  return { id: (await answer.json()).user_id, email };
}

/** An address in a language that it asks for itself; what is behind its `#` stays there. */
export function inLanguage(address: string, lang: string): string {
  const [path = "", hash] = address.split("#");
  const asked = `${path}${path.includes("?") ? "&" : "?"}lang=${lang}`;
  return hash === undefined ? asked : `${asked}#${hash}`;
}
