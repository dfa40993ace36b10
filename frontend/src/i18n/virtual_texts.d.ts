declare module "virtual:texts" {
  /** Strings by namespace; a namespace is a feature's word, or `common`, `words`, `definitions`. */
  type Strings = Record<string, Record<string, unknown>>;
  type Part = () => Promise<{ strings: Strings }>;

  interface LanguageTexts {
    /** How the language calls itself, what HTML calls it, and what its dates are written by. */
    name: string;
    tag: string;
    locale: string;
    /** What every page says; what only the application says; what pages of shared things say. */
    public: Part;
    inside: Part;
    shared: Part;
  }

  /** By language: a part is loaded when it is first spoken. */
  export const TEXTS: Record<string, LanguageTexts>;
}
