/**
 * Every string, by language and namespace. A namespace is a feature's word, or `common`, `words`
 * (the terms of the domain: metrics, axes, states, verdicts), `charts`, `accounts`.
 */
const files = import.meta.glob<Record<string, unknown>>("./{en,zh}/*.json", {
  eager: true,
  import: "default",
});

type Resources = Record<string, Record<string, Record<string, unknown>>>;

export const resources: Resources = {};
for (const [path, strings] of Object.entries(files)) {
  const [, language, namespace] = /\.\/(\w+)\/(\w+)\.json$/.exec(path) ?? [];
  if (language && namespace) {
    resources[language] = { ...resources[language], [namespace]: strings };
  }
}
