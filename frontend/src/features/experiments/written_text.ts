/**
 * The API keeps a specification, not the text it was written as. So that its author finds comments
 * and order again, the tab remembers the text of each version that was saved in it.
 */
const key = (id: string) => `podmeter.experiment.${id}`;

export function rememberText(id: string, version: number, text: string): void {
  sessionStorage.setItem(key(id), JSON.stringify({ version, text }));
}

/** The text of exactly this version; undefined where it was saved elsewhere or since. */
export function rememberedText(id: string, version: number): string | undefined {
  const kept = JSON.parse(sessionStorage.getItem(key(id)) ?? "null") as Written | null;
  return kept?.version === version ? kept.text : undefined;
}

export function forgetText(id: string): void {
  sessionStorage.removeItem(key(id));
}

interface Written {
  version: number;
  text: string;
}
