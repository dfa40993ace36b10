/** Hands a file to the browser's downloads. */
export function download(fileName: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  // The download has its own hold on the blob once the click is through.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}

/** A title as a file's name: "Throughput loss" → "throughput-loss". */
export function fileNameOf(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return name === "" ? "chart" : name;
}
