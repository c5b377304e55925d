import { defineWorkerTask } from "../../../lib/worker-tasks.ts";

/** Maximum of pixels, of all frames together: a file of 2 KB can decompress to gigabytes. Cameras write JPEG, which takes less memory. */
const PIXELS_MAX = { jpeg: 50_000_000, png: 50_000_000, other: 25_000_000 } as const;
/** Shorter than the deadline of a thread: what the image library does ends with neither the thread nor its result. */
const SECONDS_MAX = 15;

/**
 * Re-encodes an image without its location and any data appended to it; null if it cannot be read. It runs in turns: each image takes
 * up to 500 MB and one of the threads that read and write files of the process, whatever the size of its file.
 */
export const redrawImage = defineWorkerTask({
  id: "forms.redraw",
  size: () => Infinity,
  async run(bytes: Uint8Array): Promise<Uint8Array | null> {
    const { default: sharp } = await import("sharp");
    sharp.cache(false);
    sharp.concurrency(1);
    try {
      const { format } = await sharp(bytes).metadata();
      const limitInputPixels = PIXELS_MAX[format === "jpeg" || format === "png" ? format : "other"];
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
