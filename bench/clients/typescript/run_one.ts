// Runs one experiment to its result with the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { env: Record<string, string | undefined> };

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** The body of an answer; throws the problem document of a refusal. */
function body<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const client = createClient<paths>({
  baseUrl: setting("PODMETER_URL"),
  headers: { Authorization: `Bearer ${setting("PODMETER_TOKEN")}` },
});
const spec: components["schemas"]["Spec"] = JSON.parse(setting("SPEC"));
const experiment = body(await client.POST("/api/v1/experiments", { body: spec }));
const started = body(
  await client.POST("/api/v1/experiments/{experiment_id}/runs", {
    params: { path: { experiment_id: experiment.id } },
    body: { cluster_id: setting("CLUSTER_ID"), labels: { client: "typescript" } },
  }),
);
const path = { run_id: started.id };
let state: components["schemas"]["RunState"] = started.state;
while (state !== "finished") {
  const run = await client.GET("/api/v1/runs/{run_id}", { params: { path, query: { wait: 60 } } });
  state = body(run).state;
}
const report = body(await client.GET("/api/v1/runs/{run_id}/summaries", { params: { path } }));
const first = report.summaries[0];
console.log(JSON.stringify({ run: started.id, metric: first?.key.metric, value: first?.value }));
