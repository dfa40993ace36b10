/** The issuers that most jobs come from, with the claims that say whose job it is. */
export const PRESETS = {
  github: {
    issuer: "https://token.actions.githubusercontent.com",
    claims: "repository=owner/name\nref=refs/heads/main",
  },
  gitlab: {
    issuer: "https://gitlab.com",
    claims: "project_path=group/project\nref_type=branch\nref=main",
  },
  other: { issuer: "", claims: "sub=" },
} as const;

export type Preset = keyof typeof PRESETS;

/** A pattern for each claim, of lines such as `repository=acme/net`. */
export function readClaims(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

export const writeClaims = (claims: Record<string, string>): string =>
  Object.entries(claims)
    .map(([name, pattern]) => `${name}=${pattern}`)
    .join("\n");
