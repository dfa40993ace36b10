import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { UnreachableError } from "~/api/problem";
import { type Me, meOptions, type Role } from "~/queries/accounts";
import { LONGEST_TEXT, type Preview, type RecognisedOutput } from "~/queries/imports";
import { ImportsPage } from "./page";

const asked = vi.hoisted(() => vi.fn());
const opened = vi.hoisted(() => vi.fn());

vi.mock("~/api/client", async (load) => {
  const POST = async (path: string, options: { body?: unknown; signal?: AbortSignal }) => ({
    data: await asked(path, options),
    response: new Response(),
  });
  return { ...(await load<typeof import("~/api/client")>()), api: { POST } };
});
vi.mock("@tanstack/react-router", async (load) => ({
  ...(await load<typeof import("@tanstack/react-router")>()),
  useNavigate: () => opened,
}));

const PREVIEW = "/api/v1/imports/preview";

function output(number: number, first: number): RecognisedOutput {
  return {
    output: number,
    tool: "iperf3",
    version: "3.12",
    first_line: first,
    last_line: first + 1,
    command: "",
    told: { protocol: "tcp" },
    point: { protocol: "tcp" },
    case: "protocol=tcp",
    requests: null,
    samples: null,
    figures: [
      {
        metric: "throughput",
        subject: "",
        unit: "bit/s",
        value: number * 1e9,
        printed: "1.00 Gbits/sec",
        line: first,
      },
    ],
    notes: [],
    connections: [{ local: "10.0.0.1:40000", remote: "10.0.0.2:5201" }],
  };
}

const ONE: Preview = {
  outputs: [output(1, 2)],
  skipped_lines: [],
  environment: { kernel: "6.1" },
  axes: [
    { name: "path", choices: ["pod-pod"], minimum: null, maximum: null },
    { name: "variant", choices: [], minimum: null, maximum: null },
  ],
  lines: [
    { first_line: 1, last_line: 1, kind: "command", outputs: [], text: "$ iperf3 -c b" },
    { first_line: 2, last_line: 3, kind: "output", outputs: [1], text: "Connecting" },
  ],
  refused: null,
};
const REFUSED: Preview = {
  ...ONE,
  lines: [
    ...ONE.lines,
    { first_line: 4, last_line: 4, kind: "refused", outputs: [], text: "odd" },
    { first_line: 5, last_line: 5, kind: "unread", outputs: [], text: "more" },
  ],
  refused: {
    line: 4,
    text: "odd",
    why: { code: "paste_unknown", params: {}, text: "this is no line of a tool" },
  },
};
const TWO: Preview = {
  ...ONE,
  outputs: [output(1, 2), output(2, 6)],
  lines: [
    { first_line: 1, last_line: 1, kind: "around", outputs: [], text: "=== iptables ===" },
    { first_line: 2, last_line: 4, kind: "output", outputs: [1], text: "Connecting" },
    { first_line: 5, last_line: 5, kind: "around", outputs: [], text: "=== nftables ===" },
    { first_line: 6, last_line: 7, kind: "output", outputs: [2], text: "Connecting" },
  ],
};
const TITLED = "=== iptables ===\na\na\n\n=== nftables ===\nb\nb";

beforeEach(() => {
  asked.mockReset();
  opened.mockReset();
  sessionStorage.clear();
});

function shown(role: Role = "operator") {
  const client = new QueryClient();
  const me: Me = {
    user_id: "ada",
    email: "ada@example.org",
    organization_id: "ours",
    organization: "Ours",
    role,
    of_provider: false,
    expires_at: null,
    csrf_token: "t",
  };
  client.setQueryData(meOptions.queryKey, me);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <ImportsPage />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return screen.getByLabelText<HTMLTextAreaElement>("Outputs");
}

const paste = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const keep = () => screen.getByRole<HTMLButtonElement>("button", { name: "Save as a run" });

it("asks for nothing while there is nothing", async () => {
  const field = shown();
  expect(screen.queryByRole("list")).toBeNull();
  paste(field, "  \n");
  expect(screen.getByRole("status").textContent).toBe("");
  expect(asked).not.toHaveBeenCalled();
});

it("says that it reads, then what each line is and what will be kept", async () => {
  let answer: (preview: Preview) => void = () => undefined;
  asked.mockReturnValue(new Promise((give) => (answer = give)));
  const field = shown();
  paste(field, "$ iperf3 -c b\na\na");
  expect(screen.getByRole("status").textContent).toBe("Reading…");
  await waitFor(() => expect(asked).toHaveBeenCalledOnce());
  answer(ONE);
  const list = await screen.findByRole("list", { name: "Recognized lines" });
  const [command, first] = within(list).getAllByRole("button");
  expect(command?.textContent).toBe("Line 1Command$ iperf3 -c b");
  expect(first?.textContent).toContain("Output 1: iperf3");
  expect(first?.textContent).toContain("10.0.0.1:40000 → 10.0.0.2:5201");
  expect(screen.getByText("This will be saved as one run with 1 case and 1 trial.")).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Kernel").value).toBe("6.1");
  expect(keep().disabled).toBe(true);
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Mine" } });
  expect(keep().disabled).toBe(false);
  if (first) fireEvent.click(first);
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe("a\na");
});

it("shows the last text only, and cancels what was asked of the one before", async () => {
  const signals: AbortSignal[] = [];
  let late: (preview: Preview) => void = () => undefined;
  asked.mockImplementation((_, { body, signal }) => {
    signals.push(signal);
    return body.text === "first" ? new Promise((give) => (late = give)) : Promise.resolve(TWO);
  });
  const field = shown();
  paste(field, "first");
  await waitFor(() => expect(signals).toHaveLength(1));
  paste(field, "sec");
  paste(field, "second");
  await screen.findByRole("heading", { name: "2 outputs recognised" });
  // What was typed on the way is not asked for.
  expect(asked.mock.calls.map(([, { body }]) => body.text)).toEqual(["first", "second"]);
  expect(signals[0]?.aborted).toBe(true);
  late(ONE);
  await waitFor(() =>
    expect(screen.getByRole("heading", { name: "2 outputs recognised" })).toBeTruthy(),
  );
});

it("names a line that cannot be read, keeps nothing, and makes it a remark", async () => {
  asked.mockResolvedValue(REFUSED);
  const field = shown();
  paste(field, "$ iperf3 -c b\na\na\nodd\nmore");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Line 4 cannot be read");
  expect(alert.textContent).toContain("this is no line of a tool");
  expect(screen.getByText("Not read yet")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Mine" } });
  expect(keep().disabled).toBe(true);
  fireEvent.click(within(alert).getByRole("button", { name: "Go to line 4" }));
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe("odd");
  asked.mockResolvedValue(ONE);
  fireEvent.click(within(alert).getByRole("button", { name: "Convert to a remark" }));
  expect(field.value).toBe("$ iperf3 -c b\na\na\n# odd\nmore");
  await waitFor(() => expect(keep().disabled).toBe(false));
});

it("says what is wrong where the API cannot be asked", async () => {
  asked.mockRejectedValue(new UnreachableError(new Error("gone")));
  paste(shown(), "a");
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Save as a run" })).toBeNull();
});

it("says how long a text may be, and does not send a longer one", async () => {
  const field = shown();
  asked.mockResolvedValue({ ...ONE, outputs: [], lines: [] });
  paste(field, "x".repeat(LONGEST_TEXT + 1));
  expect(
    screen.getByText(/has 1,000,001 characters; the maximum for one import is 1,000,000/),
  ).toBeTruthy();
  paste(field, "x".repeat(LONGEST_TEXT));
  expect(screen.getByText("1,000,000 of 1,000,000 characters")).toBeTruthy();
  await waitFor(() => expect(asked).toHaveBeenCalledOnce());
});

it("tells a viewer who may import", () => {
  paste(shown("viewer"), "a");
  expect(screen.getByText(/Your role can view results/)).toBeTruthy();
  expect(asked).not.toHaveBeenCalled();
});

it("keeps texts below titles as one run and compares them", async () => {
  asked.mockImplementation((path) =>
    path === PREVIEW ? TWO : { id: path.endsWith("comparisons") ? "compared" : "kept" },
  );
  paste(shown(), TITLED);
  const variant = await screen.findByLabelText<HTMLInputElement>("Variant of output 2");
  expect(variant.value).toBe("nftables");
  expect(screen.getByText("Title: iptables")).toBeTruthy();
  fireEvent.change(variant, { target: { value: "nft" } });
  expect(screen.getByText(/2 cases and 2 trials. Compared: iptables, nft\./)).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Both" } });
  fireEvent.click(screen.getByRole("button", { name: "Save and compare" }));
  await waitFor(() => expect(opened).toHaveBeenCalled());
  expect(opened.mock.calls[0]?.[0]).toMatchObject({
    to: "/compare/$comparisonId",
    params: { comparisonId: "compared" },
  });
  const sent = Object.fromEntries(asked.mock.calls.map(([path, { body }]) => [path, body]));
  expect(sent["/api/v1/imports"].outputs).toEqual([
    { output: 1, at: { variant: "iptables" } },
    { output: 2, at: { variant: "nft" } },
  ]);
  expect(sent["/api/v1/comparisons"]).toMatchObject({
    baseline: { run_id: "kept", where: { variant: "iptables" } },
    contenders: [{ run_id: "kept", where: { variant: "nft" } }],
  });
});

it("adds another text below a title of its own", async () => {
  asked.mockResolvedValue(ONE);
  const field = shown();
  paste(field, "a\na");
  fireEvent.click(screen.getByRole("button", { name: "Add a text to compare" }));
  expect(field.value).toBe("=== Text 1 ===\na\na\n\n=== Text 2 ===\n\n");
  fireEvent.click(screen.getByRole("button", { name: "Clear" }));
  expect(field.value).toBe("");
});

it("reads dropped files, and names those that are left out", async () => {
  asked.mockResolvedValue(TWO);
  const field = shown();
  const files = [new File(["a"], "ipvs.txt"), new File(["b"], "nft.txt"), new File([], "none.txt")];
  const items = files.map((file) => ({ kind: "file", getAsFile: () => file }));
  fireEvent.drop(field, { dataTransfer: { files, items } });
  await waitFor(() => expect(field.value).toBe("=== ipvs ===\na\n\n=== nft ===\nb\n"));
  expect(screen.getByRole("alert").textContent).toContain("none.txt: empty");
});
