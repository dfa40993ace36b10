import "i18next";
import type accounts from "./en/accounts.json";
import type audit from "./en/audit.json";
import type changes from "./en/changes.json";
import type charts from "./en/charts.json";
import type clusters from "./en/clusters.json";
import type common from "./en/common.json";
import type compare from "./en/compare.json";
import type comparisons from "./en/comparisons.json";
import type experiments from "./en/experiments.json";
import type finding from "./en/finding.json";
import type floors from "./en/floors.json";
import type frame from "./en/frame.json";
import type imports from "./en/imports.json";
import type members from "./en/members.json";
import type overview from "./en/overview.json";
import type parts from "./en/parts.json";
import type profile from "./en/profile.json";
import type publicPage from "./en/public.json";
import type references from "./en/references.json";
import type reproduction from "./en/reproduction.json";
import type runs from "./en/runs.json";
import type settings from "./en/settings.json";
import type shared from "./en/shared.json";
import type snapshots from "./en/snapshots.json";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: {
      accounts: typeof accounts;
      audit: typeof audit;
      changes: typeof changes;
      charts: typeof charts;
      clusters: typeof clusters;
      common: typeof common;
      compare: typeof compare;
      comparisons: typeof comparisons;
      definitions: Record<string, Record<string, string>>;
      experiments: typeof experiments;
      finding: typeof finding;
      floors: typeof floors;
      frame: typeof frame;
      imports: typeof imports;
      members: typeof members;
      overview: typeof overview;
      parts: typeof parts;
      profile: typeof profile;
      public: typeof publicPage;
      references: typeof references;
      reproduction: typeof reproduction;
      runs: typeof runs;
      settings: typeof settings;
      shared: typeof shared;
      snapshots: typeof snapshots;
      words: Record<string, Record<string, string>>;
    };
  }
}
