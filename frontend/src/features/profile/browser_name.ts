/** By what is named last and least often by others, first: each names those that came before it. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bFirefox\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?Chrome\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)\S* .*Safari\//, "Safari"],
  [/^curl\/(\d+)/, "curl"],
];
const SYSTEMS: [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** What a person calls a browser, "Firefox 140, Linux"; what is not known as it calls itself. */
export function browserName(agent: string | null): string | null {
  if (!agent) return null;
  const system = SYSTEMS.find(([sign]) => sign.test(agent))?.[1];
  for (const [sign, name] of BROWSERS) {
    const version = sign.exec(agent)?.[1];
    if (version !== undefined) return [`${name} ${version}`, system].filter(Boolean).join(", ");
  }
  return agent.slice(0, 60);
}
