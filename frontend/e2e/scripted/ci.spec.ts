import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expectAccessible } from "../accessibility";
import { expect, logIn, ready, stack, test } from "../fixtures";

/** An administrator trusts an issuer in Settings → CI, and its jobs are let in until that ends. */
test.use({ expectedErrors: { patterns: [/422 \(/] } });

interface Issuer {
  url: string;
  /** What the CI signs for a job. */
  signed: (claims: Record<string, string>) => string;
  end: () => void;
}

async function issuer(): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "ci" };
  const server = createServer((request, response) => {
    const documents: Record<string, unknown> = {
      "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": { keys: [key] },
    };
    const found = documents[request.url ?? ""];
    response.writeHead(found ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return {
    url,
    signed: (claims) => {
      const now = Math.floor(Date.now() / 1000);
      const times = { iat: now, exp: now + 300 };
      const head = part({ alg: "RS256", typ: "JWT", kid: "ci" });
      const text = `${head}.${part({ iss: url, aud: stack.url, ...times, ...claims })}`;
      return `${text}.${sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url")}`;
    },
    end: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("an administrator trusts a CI, whose jobs reach the experiment until the trust is deleted", {
  tag: "@journey",
}, async ({ page, rest, playwright }) => {
  const ci = await issuer();
  const job = await playwright.request.newContext({ baseURL: stack.url });
  const name = `net-${Date.now()}`;
  const experiments = await rest.get<{ items: { id: string; name: string }[] }>("/experiments");
  const chosen = experiments.items[0];
  if (chosen === undefined) throw new Error("the set-up made no experiment");
  try {
    await logIn(page);
    await page.goto("/settings/ci");
    await ready(page);
    await page.getByRole("button", { name: "Trust a CI" }).click();
    await page.getByLabel("CI", { exact: true }).selectOption("other");
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Issuer").fill(ci.url);
    await page.getByRole("checkbox", { name: chosen.name, exact: true }).check();

    await test.step("claims that name no owner are refused where they are written", async () => {
      await page.getByLabel("Claims").fill("ref=refs/heads/main");
      await page.getByRole("button", { name: "Trust a CI" }).click();
      await expect(page.getByLabel("Claims")).toHaveAttribute("aria-invalid", "true");
      await expectAccessible(page);
    });

    await page.getByLabel("Claims").fill("repository=acme/net\nref=refs/heads/*");
    await page.getByRole("button", { name: "Trust a CI" }).click();
    const row = page.getByRole("row", { name: new RegExp(name) });
    await expect(row).toContainText("repository=acme/net");
    await expect(row).toContainText(chosen.name);

    await page.getByRole("button", { name: `How to use ${name}` }).click();
    const { items } = await rest.get<{ items: { id: string; name: string }[] }>("/ci-trusts");
    const trust = items.find((one) => one.name === name)?.id ?? "";
    await expect(page.getByText(`trust: ${trust}`).first()).toBeVisible();
    await expect(page.getByText(stack.url).first()).toBeVisible();
    await expectAccessible(page);

    const exchange = async (claims: Record<string, string>) =>
      await job.post("/api/v1/auth/ci", { data: { trust_id: trust, token: ci.signed(claims) } });
    const claims = { sub: "repo:acme/net", repository: "acme/net", ref: "refs/heads/main" };
    const admitted = await exchange(claims);
    expect(admitted.ok(), await admitted.text()).toBe(true);
    const headers = { Authorization: `Bearer ${(await admitted.json()).token}` };

    await test.step("the job reaches the experiment and no other", async () => {
      const reached = await (await job.get("/api/v1/experiments", { headers })).json();
      expect(reached.items.map((one: { id: string }) => one.id)).toEqual([chosen.id]);
    });

    await test.step("a job of another repository is refused", async () => {
      const refused = await exchange({ ...claims, repository: "evil/net" });
      expect(refused.status()).toBe(401);
    });

    await page.getByRole("button", { name: `Delete ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(row).toHaveCount(0);
    expect((await job.get("/api/v1/experiments", { headers })).status()).toBe(401);
    expect((await exchange(claims)).ok()).toBe(false);
  } finally {
    await job.dispose();
    ci.end();
  }
});
