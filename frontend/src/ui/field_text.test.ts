import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setLanguage } from "~/i18n";
import { useFieldText } from "./field_text";

const said = () => renderHook(() => useFieldText()).result.current;

beforeEach(() => act(() => setLanguage("en")));
afterEach(() => act(() => setLanguage("en")));

it("names a fingerprint's fields in words, and the nodes that they are of", async () => {
  expect(said()("kube_proxy.mode")).toBe("kube-proxy mode");
  expect(said()("memory_bytes", "node-1, node-2")).toBe("Memory (bytes) (node-1, node-2)");
  expect(said()("mtus.flannel.1", "node-1")).toBe("MTU: flannel.1 (node-1)");
  await act(() => setLanguage("zh"));
  expect(said()("memory_bytes")).toBe("内存（字节）");
  expect(said()("tool_versions.iperf3")).toBe("工具：iperf3");
});

it("names a node's field as differences spell it, dots in its name and all", () => {
  expect(said()("nodes.node-1.example.kernel")).toBe("Kernel (node-1.example)");
  expect(said()("nodes.w1.sysctls.net.core.rmem_max")).toBe(
    "Kernel parameter: net.core.rmem_max (w1)",
  );
});

it("leaves a field that is not known yet as the API spells it", () => {
  expect(said()("cni.colour")).toBe("cni.colour");
});
