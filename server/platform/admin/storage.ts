import { z } from "zod";

import { fail } from "../../kernel/errors.ts";
import { ok, raw } from "../../kernel/route.ts";
import { exportNdjson, storeInfo, verifyStore } from "../../storage/admin.ts";
import type { StoreDriver } from "../../storage/contract.ts";
import { definePlatformRoute } from "../context.ts";

const storageInfo = definePlatformRoute({
  id: "admin.storage.info",
  method: "GET",
  path: "/storage/info",
  summary: "Driver, size, partitions and collections",
  data: z.strictObject({
    driver: z.string(),
    documents: z.int(),
    partitions: z.array(
      z.strictObject({
        name: z.string(),
        documents: z.int(),
        collections: z.array(z.strictObject({ name: z.string(), count: z.int() })),
      }),
    ),
    stats: z.record(z.string(), z.number()),
  }),
  example: {
    data: {
      driver: "fs",
      documents: 812,
      partitions: [
        { name: "platform", documents: 36, collections: [{ name: "platform.customers", count: 12 }] },
      ],
      stats: { log_bytes: 1_048_576 },
    },
  },
  async handle(_input, { deps }) {
    const { driver, documents, partitions, stats } = await storeInfo(deps.store);
    return ok({
      driver,
      documents,
      partitions: partitions.map((part) => ({ ...part, collections: [...part.collections] })),
      stats: { ...stats },
    });
  },
});

const verifyStorage = definePlatformRoute({
  id: "admin.storage.verify",
  method: "POST",
  path: "/storage/verify",
  summary: "Read every document and every index entry",
  data: z.strictObject({
    ok: z.boolean(),
    documents: z.int(),
    problem_count: z.int(),
    problems: z.array(z.strictObject({ key: z.string(), problem: z.string() })),
  }),
  example: { data: { ok: true, documents: 812, problem_count: 0, problems: [] } },
  async handle(_input, { deps }) {
    const { documents, problemCount, problems } = await verifyStore(deps.store);
    return ok({ ok: problemCount === 0, documents, problem_count: problemCount, problems: [...problems] });
  },
});

const exportStorage = definePlatformRoute({
  id: "admin.storage.export",
  method: "GET",
  path: "/storage/export",
  summary: "Every document as a line of JSON",
  data: z.string(),
  rawType: "application/x-ndjson",
  example: {},
  handle: async (_input, { deps }) => raw("application/x-ndjson", exportStream(deps.store)),
});

/** The export as fast as it is read; ends without its trailer when it fails, so that half of one is not taken for whole. */
function exportStream(store: StoreDriver): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  let waiting = "";
  const flush = async (): Promise<void> => {
    await writer.write(encoder.encode(waiting));
    waiting = "";
  };
  const work = exportNdjson(store, async (text) => {
    waiting += text;
    if (waiting.length >= CHUNK_CHARS) await flush();
  });
  work
    .then(flush)
    .then(() => writer.close())
    .catch((error: unknown) => writer.abort(error))
    // The client is gone.
    .catch(() => undefined);
  return readable;
}

const CHUNK_CHARS = 65_536;

const compactStorage = definePlatformRoute({
  id: "admin.storage.compact",
  method: "POST",
  path: "/storage/compact",
  summary: "Rewrite the data so that nothing erased is left in it",
  data: z.strictObject({ bytes_before: z.int(), bytes_after: z.int() }),
  errors: [{ type: "conflict", code: "not_compactable", when: "the driver keeps nothing that was erased" }],
  example: { data: { bytes_before: 4_194_304, bytes_after: 1_048_576 } },
  async handle(_input, { deps: { store } }) {
    if (!isCompactable(store)) {
      throw fail("conflict", "This storage keeps nothing that was erased: there is nothing to compact.", {
        code: "not_compactable",
      });
    }
    const { bytesBefore, bytesAfter } = await store.compact();
    return ok({ bytes_before: bytesBefore, bytes_after: bytesAfter });
  },
});

interface Compactable {
  compact(): Promise<{ readonly bytesBefore: number; readonly bytesAfter: number }>;
}

const isCompactable = (store: StoreDriver): store is StoreDriver & Compactable =>
  "compact" in store && typeof store.compact === "function";

export const storageRoutes = [storageInfo, verifyStorage, exportStorage, compactStorage];
