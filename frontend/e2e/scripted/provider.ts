import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** Who there is, by the name that is typed in, and their groups. Any password will do. */
const GROUPS: Record<string, string[]> = { ada: ["net-admins"], eve: ["gardeners"] };
const CLIENT = { client_id: "podmeter", client_secret: "the client's own secret" };

export interface SignOnProvider {
  /** What Podmeter has to know of it. */
  settings: Record<string, string>;
  /** Serves from now on, for the Podmeter at `url`. */
  serve: (url: string) => void;
  end: () => void;
}

/** A certified OpenID Connect provider on this machine. */
export async function signOnProvider(): Promise<SignOnProvider> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: {
      PODMETER_OIDC_ISSUER: issuer,
      PODMETER_OIDC_CLIENT_ID: CLIENT.client_id,
      PODMETER_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      PODMETER_OIDC_NAME: "Acme",
      PODMETER_OIDC_SCOPES: "openid email groups",
      PODMETER_OIDC_ROLES: "net-admins=admin",
      PODMETER_OIDC_ALLOWED_NETWORKS: "127.0.0.0/8",
    },
    serve: (url) => {
      const answer = new Provider(issuer, configuration(url)).callback();
      server.on("request", (request, response) => {
        // Chromium asks for it once a page has stood for a while, and its console tells of a 404.
        if (request.url === "/favicon.ico") response.writeHead(204).end();
        else answer(request, response);
      });
    },
    end: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function configuration(url: string): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "one" };
  return {
    clients: [
      {
        ...CLIENT,
        redirect_uris: [`${url}/sign-on`],
        post_logout_redirect_uris: [`${url}/login`],
      },
    ],
    scopes: ["openid", "email", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    cookies: { keys: ["of no worth"] },
    jwks: { keys: [key] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@people.example`,
        email_verified: true,
        groups: GROUPS[id] ?? [],
      }),
    }),
  };
}
