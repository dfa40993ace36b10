import { MantineProvider } from "@mantine/core";
import { render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Table } from "./table";

function Rows({ columns, cells }: { columns: string[]; cells: string[] }) {
  return (
    <MantineProvider>
      <Table stacked>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row">node-1</Table.Th>
            {cells.map((cell) => (
              <Table.Td key={cell}>{cell}</Table.Td>
            ))}
          </Table.Tr>
          <Table.Tr>
            <Table.Td colSpan={3}>of node-1</Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </MantineProvider>
  );
}

describe("a table whose cells are stacked on a phone", () => {
  it("has each cell know its column, but not what a row is about or what is of all columns", async () => {
    render(<Rows columns={["Node", "CPU", "Memory"]} cells={["4", "8 GiB"]} />);
    await waitFor(() => expect(screen.getByText("4").dataset.column).toBe("CPU"));
    expect(screen.getByText("8 GiB").dataset.column).toBe("Memory");
    expect(screen.getByText("node-1").dataset.column).toBeUndefined();
    expect(screen.getByText("of node-1").dataset.column).toBeUndefined();
  });

  it("has each of several things that a row is about named", async () => {
    render(
      <MantineProvider>
        <Table stacked>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Client</Table.Th>
              <Table.Th>Target</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Table.Tr>
              <Table.Th scope="row">outside</Table.Th>
              <Table.Th scope="row">last Service</Table.Th>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </MantineProvider>,
    );
    await waitFor(() => expect(screen.getByText("outside").dataset.column).toBe("Client"));
    expect(screen.getByText("last Service").dataset.column).toBe("Target");
  });

  it("does not name what chooses a row after what chooses all", async () => {
    render(
      <MantineProvider>
        <Table stacked>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <label>
                  <input type="checkbox" /> All
                </label>
              </Table.Th>
              <Table.Th>State</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Table.Tr>
              <Table.Td>this one</Table.Td>
              <Table.Td>finished</Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </MantineProvider>,
    );
    await waitFor(() => expect(screen.getByText("finished").dataset.column).toBe("State"));
    expect(screen.getByText("this one").dataset.column).toBeUndefined();
  });

  it("names them anew in another language", async () => {
    const { rerender } = render(<Rows columns={["Node", "CPU"]} cells={["4"]} />);
    rerender(<Rows columns={["节点", "处理器"]} cells={["4"]} />);
    await waitFor(() => expect(screen.getByText("4").dataset.column).toBe("处理器"));
  });
});

describe("the head of a table", () => {
  it("heads each column there is, in its own way where it has one", () => {
    render(
      <MantineProvider>
        <Table>
          <Table.Head columns={["Node", false, { label: "Memory", ta: "right" }, "Node"]} />
        </Table>
      </MantineProvider>,
    );
    const headings = screen.getAllByRole("columnheader");
    expect(headings.map(({ textContent }) => textContent)).toEqual(["Node", "Memory", "Node"]);
    expect(headings.map((heading) => heading.getAttribute("scope"))).toEqual(Array(3).fill("col"));
    expect(headings.map(({ style }) => style.textAlign)).toEqual(["", "right", ""]);
  });
});
