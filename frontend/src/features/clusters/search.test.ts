import { expect, it } from "vitest";
import { manifestSearch, readNewClusterSearch } from "./search";

const cluster = "0b6f7c1e-0d7a-4a55-9a58-0f3a5c9d2e11";

it("keeps the wizard's step and rights", () => {
  expect(readNewClusterSearch({ step: "kubeconfig", capability: "measure" })).toEqual({
    step: "kubeconfig",
    capability: "measure",
  });
});

it("keeps that the manifest is to be without policies", () => {
  expect(readNewClusterSearch({ policy: "none" })).toEqual({ policy: "none" });
  expect(readNewClusterSearch({ policy: "some" })).toEqual({});
});

it("keeps the cluster's own image and pull secret, as its manifest is asked for", () => {
  const own = { bench_image: "registry.example/bench:1", image_pull_secret: "pull" };
  const search = manifestSearch(own, "host_access");
  expect(readNewClusterSearch({ ...search })).toEqual({
    capability: "host_access",
    image: "registry.example/bench:1",
    secret: "pull",
  });
  const none = manifestSearch({ bench_image: null, image_pull_secret: null }, "measure");
  expect(readNewClusterSearch({ ...none })).toEqual({ capability: "measure" });
  expect(readNewClusterSearch({ image: "a b", secret: "s".repeat(254) })).toEqual({});
});

it("shows a result only of a cluster, and begins anew otherwise", () => {
  expect(readNewClusterSearch({ step: "result", cluster })).toEqual({ step: "result", cluster });
  expect(readNewClusterSearch({ step: "result" })).toEqual({});
  expect(readNewClusterSearch({ step: "result", cluster: "../me" })).toEqual({});
});

it("never takes anything else from the address", () => {
  expect(readNewClusterSearch({ kubeconfig: "secret", capability: "everything" })).toEqual({});
});
