import type Sharp from "sharp";

import { defineWorkerTask } from "../lib/worker-tasks.ts";
import { importFor } from "./optional-packages.ts";

/** Maximum of pixels, of all frames together: a file of 2 KB can decompress to gigabytes. Cameras write JPEG, which takes less memory. */
const PIXELS_MAX = { jpeg: 50_000_000, png: 50_000_000, other: 25_000_000 } as const;
/** Shorter than the deadline of a task. */
const SECONDS_MAX = 15;

/** The media type of a file by its head; undefined for an unknown one, such as a text. To read the entries of an archive takes up to half a second. */
export const detectType = defineWorkerTask({
  id: "images.type",
  size: () => Infinity,
  async run(head: Uint8Array): Promise<string | undefined> {
    const { fileTypeFromBuffer } = await import("file-type");
    return (await fileTypeFromBuffer(head))?.mime;
  },
});

const HEAD_BYTES = 1_048_576;

/**
 * The bytes that the type of a file is detected by: all of an archive, whose first entries may be large. A copy: with a part of the memory of
 * a body, a thread would be sent all of it.
 */
export const headOf = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes[0] === 0x50 && bytes[1] === 0x4b ? bytes : bytes.subarray(0, HEAD_BYTES));

/**
 * Re-encodes an image without its location and any data appended to it; null if it cannot be read. It runs in turns and in a process
 * apart: each image takes up to 500 MB, whatever the size of its file, and what decodes it is not written in a safe language.
 */
export const redrawImage = defineWorkerTask({
  id: "images.redraw",
  size: () => Infinity,
  isApart: true,
  async run(bytes: Uint8Array): Promise<Uint8Array | null> {
    const sharp = await loadSharp();
    try {
      const limitInputPixels = await pixelsMax(sharp, bytes);
      const image = await sharp(bytes, { limitInputPixels, animated: true, failOn: "error" })
        .timeout({ seconds: SECONDS_MAX })
        .rotate()
        .toBuffer();
      return new Uint8Array(image);
    } catch {
      return null;
    }
  },
});

/** Throws 503 where the operator has not installed it: an image as it was sent would show where it was taken. */
async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await importFor("pictures", () => import("sharp"));
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** An interlaced PNG is in memory twice. */
async function pixelsMax(sharp: typeof Sharp, bytes: Uint8Array): Promise<number> {
  const { format, isProgressive } = await sharp(bytes).metadata();
  return PIXELS_MAX[format === "jpeg" || (format === "png" && !isProgressive) ? format : "other"];
}

export interface Photo {
  readonly content: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Longest edges and qualities that are tried in turn until a photo fits. */
const SIZES = [
  [1_600, 80],
  [1_280, 75],
  [1_024, 70],
  [800, 60],
  [640, 50],
] as const;

/** A photo as WebP of at most `bytesMax`, upright and without metadata; null if it cannot be read. In turns, as above. */
export const toPhoto = defineWorkerTask({
  id: "images.photo",
  size: () => Infinity,
  isApart: true,
  async run(input: { readonly bytes: Uint8Array; readonly bytesMax: number }): Promise<Photo | null> {
    const { bytes, bytesMax } = input;
    const sharp = await loadSharp();
    try {
      const limitInputPixels = await pixelsMax(sharp, bytes);
      for (const [edge, quality] of SIZES) {
        const { data, info } = await sharp(bytes, { limitInputPixels, failOn: "error" })
          .timeout({ seconds: SECONDS_MAX })
          .rotate()
          .resize(edge, edge, { fit: "inside", withoutEnlargement: true })
          .webp({ quality })
          .toBuffer({ resolveWithObject: true });
        if (data.length <= bytesMax)
          return { content: new Uint8Array(data), width: info.width, height: info.height };
      }
    } catch {
      // Not an image, a damaged one, or one of too many pixels.
    }
    return null;
  },
});
