import { crc32, createDeflateRaw } from "node:zlib";

import type { ZipInputFile } from "fflate";

import { meterOfThread } from "../../lib/cpu-meter.ts";

export interface ZipEntry {
  readonly name: string;
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** A zip as fast as it is read: the next chunk of an entry is taken when the zip of those before it was. `mtime` in epoch milliseconds. */
export function zipStream(
  entries: Iterable<ZipEntry>,
  mtime: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = zipChunks(entries, mtime);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

async function* zipChunks(entries: Iterable<ZipEntry>, mtime: number): AsyncGenerator<Uint8Array, undefined> {
  const { Zip } = await import("fflate");
  const made: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    made.push(chunk);
  });
  for (const { name, chunks } of entries) {
    const file: ZipInputFile = { filename: name, mtime, compression: DEFLATE, crc: 0, size: 0 };
    zip.add(file);
    for await (const packed of deflated(counted(chunks, file))) {
      file.ondata?.(null, packed, false);
      yield* made.splice(0);
    }
    file.ondata?.(null, new Uint8Array(), true);
    yield* made.splice(0);
  }
  zip.end();
  yield* made.splice(0);
  return undefined;
}

/** Compressed by zlib in a thread of its own, chunk by chunk, so that nothing is computed before somebody reads it. */
async function* deflated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const deflate = createDeflateRaw();
  let packed: Uint8Array<ArrayBuffer>[] = [];
  deflate.on("data", (part: Uint8Array<ArrayBuffer>) => void packed.push(part));
  const step = async (
    start: (done: (error?: Error | null) => void) => void,
  ): Promise<Uint8Array<ArrayBuffer>[]> => {
    const addMs = meterOfThread();
    const sinceMs = performance.now();
    await new Promise<void>((resolve, reject) => {
      deflate.once("error", reject);
      start((error) => (error ? reject(error) : resolve()));
    });
    addMs(performance.now() - sinceMs);
    deflate.removeAllListeners("error");
    const out = packed;
    packed = [];
    return out;
  };
  try {
    for await (const chunk of chunks) yield* await step((done) => void deflate.write(chunk, done));
    yield* await step((done) => void deflate.once("end", done).end());
  } finally {
    deflate.destroy();
  }
}

/** Method 8 of the format. */
const DEFLATE = 8;

async function* counted(chunks: ZipEntry["chunks"], file: ZipInputFile): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    file.crc = crc32(chunk, file.crc);
    file.size += chunk.length;
    yield chunk;
  }
}
