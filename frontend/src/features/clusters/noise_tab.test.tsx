import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { setLanguage, speakInside } from "~/i18n";
import { type Me, meOptions } from "~/queries/accounts";
import { type Cluster, noiseFloorOptions } from "~/queries/clusters";
import { NoiseTab } from "./noise_tab";

const asked = vi.hoisted(() => vi.fn());
const opened = vi.hoisted(() => vi.fn());

vi.mock("@tanstack/react-router", async (load) => ({
  ...(await load<typeof import("@tanstack/react-router")>()),
  useNavigate: () => opened,
}));
vi.mock("~/api/client", async (load) => ({
  ...(await load<typeof import("~/api/client")>()),
  api: {
    POST: async (path: string, { body }: { body: object }) => ({
      data: asked(path, body),
      response: new Response(),
    }),
  },
}));

afterEach(() => act(() => setLanguage("en")));

it("names the experiment in the language of who measures", async () => {
  asked.mockReturnValue({ id: "run" });
  await speakInside();
  await act(() => setLanguage("zh"));
  const cluster = { id: "here", cluster_uid: "uid", needs_restore: false } as Cluster;
  const offer = { trials: 8, expected_seconds: 60, document: {} };
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData(meOptions.queryKey, { role: "operator" } as Me);
  client.setQueryData(noiseFloorOptions(cluster.id).queryKey, {
    runs_needed: 5,
    measured: [],
    to_measure: [
      { ...offer, kind: "throughput", axis: "encapsulation", mode: "none" },
      { ...offer, kind: "service_scale", axis: null, mode: null },
    ],
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <NoiseTab cluster={cluster} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const description = "两组完全相同：它们之间的任何差异都是集群自身的噪声。";
  const [first, second] = screen.getAllByRole("button");
  for (const button of [first, second]) await userEvent.click(button as HTMLElement);
  await waitFor(() => expect(opened).toHaveBeenCalledTimes(2));
  expect(asked.mock.calls.map(([, body]) => body)).toEqual([
    { kind: "throughput", name: "噪声基底：吞吐量，无封装", description, force: false },
    { kind: "service_scale", name: "噪声基底：Service 规模", description, force: false },
  ]);
});
