import type { Composition } from "./svg";

/** The picture in pixels, two for one. A `data:` address is what the page's policy allows. */
export async function toPng({ markup, width, height }: Composition, ratio = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws on no canvas");
  context.scale(ratio, ratio);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no PNG"))),
      "image/png",
    );
  });
}
