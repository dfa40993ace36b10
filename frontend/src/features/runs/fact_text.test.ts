import { renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { setLanguage } from "~/i18n";
import { useFactText } from "./fact_text";

afterEach(() => setLanguage("en"));

const FACTS = [
  ["route", "by flannel.1 (vxlan), MTU 1450, NIC eth0"],
  ["node_route", "by eth0, MTU 1500"],
  ["client", "pm-1-client on node-1"],
  ["server", "pm-1-server on node-2 at 10.244.2.31"],
  ["service", "pm-1 at http://10.96.0.9:80/"],
  ["position", "7 of 12 rules"],
  ["position", "not applicable: looked up in a map"],
  ["shared_host", "false"],
  ["ingress", "podmeter.test by class nginx of k8s.io/ingress-nginx"],
  ["position", "12 of 201 policies"],
  ["position", "not applicable: there is no policy"],
  ["position", "unknown: no rule that can be read names a policy"],
  ["load", "1250 requests a second of 2500 that the path takes at most"],
  ["policies_created", "11"],
  ["way_to_rung", "1013.2 s"],
] as const;

const told = () => {
  const { result } = renderHook(() => useFactText());
  return FACTS.map(([name, value]) => result.current(name, value)).map(
    ({ term, value }) => `${term}: ${value}`,
  );
};

it("writes what a trial found around it in English as it was written", () => {
  expect(told()).toEqual([
    "Route: by flannel.1 (vxlan), MTU 1450, NIC eth0",
    "Route between the nodes: by eth0, MTU 1500",
    "Client: pm-1-client on node-1",
    "Server: pm-1-server on node-2 at 10.244.2.31",
    "Service: pm-1 at http://10.96.0.9:80/",
    "Position in the chain: 7 of 12 rules",
    "Position in the chain: not applicable: the Service is looked up in a map",
    "Both nodes are one machine: no",
    "Ingress: podmeter.test by class nginx of k8s.io/ingress-nginx",
    "Position in the chain: 12 of 201 policies",
    "Position in the chain: not applicable: no policy",
    "Position in the chain: unknown: no readable rule names a policy",
    "Load: 1250 of at most 2500 requests per second on this path",
    "Policies created: 11",
    "Time to reach the rung: 1013.2 s",
  ]);
});

it("leaves no English in Chinese", async () => {
  await setLanguage("zh");
  expect(told()).toEqual([
    "路由: 经由 flannel.1（vxlan），MTU 1450，网卡 eth0",
    "节点间的路由: 经由 eth0，MTU 1500",
    "客户端: pm-1-client，位于 node-1",
    "服务端: pm-1-server，位于 node-2，地址 10.244.2.31",
    "Service: pm-1，地址 http://10.96.0.9:80/",
    "在链中的位置: 12 条规则中的第 7 条",
    "在链中的位置: 不适用：在 map 中查找 Service",
    "两个节点是同一台机器: 否",
    "Ingress: podmeter.test，类 nginx，控制器 k8s.io/ingress-nginx",
    "在链中的位置: 201 条策略中的第 12 条",
    "在链中的位置: 不适用：没有策略",
    "在链中的位置: 未知：没有可读取的规则指明策略",
    "负载: 此路径每秒最多 2500 个请求中的 1250 个",
    "已创建的策略: 11",
    "扩容至该档的时间: 1013.2 s",
  ]);
});

it("leaves what nobody wrote before as it is", () => {
  const { result } = renderHook(() => useFactText());
  expect(result.current("weather", "by and by")).toEqual({ term: "weather", value: "by and by" });
});
