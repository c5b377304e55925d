import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createStorage } from "unstorage";
import type { Driver } from "unstorage";
import memory from "unstorage/drivers/memory";
import { afterEach, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../../../server/config/schema.ts";
import { eraseStoreData } from "../../../../server/accounts/customers/erase.ts";
import { sweepFiles } from "../../../../server/engines/forms/jobs.ts";
import { readBackup } from "../../../../server/storage/backup.ts";
import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import { startS3Double } from "../../../support/s3-double.ts";
import { createTestClock } from "../../../storage/conformance.ts";
import { createShop, plain } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Uploads in a file store instead of the documents: in a folder, and in drivers of unstorage with and without raw values.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "platform-files-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  return folder;
}

/** A driver without raw values, as that of many databases. */
function textDriver(): Driver {
  const { getItem, getKeys, hasItem, removeItem, setItem } = memory();
  return {
    name: "texts",
    getItem,
    getKeys,
    hasItem,
    ...(removeItem && { removeItem }),
    ...(setItem && { setItem }),
  };
}

interface Place {
  readonly files: NonNullable<ReturnType<typeof ConfigSchema.parse>["files"]>;
  /** Names of the stored files. */
  readonly names: () => Promise<string[]>;
}

const PLACES: readonly [name: string, open: () => Promise<Place>][] = [
  [
    "fs",
    async () => {
      const base = await makeFolder();
      return { files: { driver: "fs", base }, names: () => namesIn(base) };
    },
  ],
  [
    "fs-lite of unstorage",
    async () => {
      const base = await makeFolder();
      return { files: { driver: "fs-lite", options: { base } }, names: () => namesIn(base) };
    },
  ],
  [
    "s3 of unstorage",
    async () => {
      const { bucket, close, contents, endpoint, signer } = await startS3Double();
      cleanups.push(close);
      return {
        files: { driver: "s3", options: { ...signer, bucket, endpoint } },
        names: async () => [...contents.keys],
      };
    },
  ],
  [
    "a driver of texts",
    async () => {
      const driver = textDriver();
      return { files: { driver }, names: () => createStorage({ driver }).getKeys() };
    },
  ],
];

const namesIn = async (base: string): Promise<string[]> =>
  (await readdir(base, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

const PDF = Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(600_000, "x\u00ff\n", "latin1")]);

async function openShop(files: Place["files"], plans?: unknown) {
  const config = { files, ...(plans === undefined ? {} : { plans: ConfigSchema.parse({ plans }).plans }) };
  const shop = await createShop({ config });
  cleanups.push(() => shop.harness.close());
  const form = await shop.form(plain({ fields: [{ key: "menu", type: "file", label: "Menu" }] }));
  const upload = (content = PDF) =>
    shop.page("POST", `/${form}/uploads`, {
      field: "menu",
      file: { name: "menu.pdf", content: content.toString("base64") },
    });
  return { shop, form, upload };
}

async function download({ harness, key }: Shop, id: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${key.plaintext}` };
  const answer = await harness.app.fetch(
    new Request(`http://platform.test/v1/forms/files/${id}`, { headers }),
  );
  return Buffer.from(await answer.arrayBuffer());
}

describe.each(PLACES)("files in %s", (_name, open) => {
  it("are served, counted to the byte, and deleted with what they belong to", async () => {
    const { files, names } = await open();
    const { form, shop, upload } = await openShop(files);
    const { store } = shop.harness;
    const before = await store.usage(shop.part);
    const { id } = (await upload()).json.data;
    expect(await names()).toHaveLength(1);
    const used = (await store.usage(shop.part)).bytes - before.bytes;
    expect(used).toBeGreaterThan(PDF.length);
    expect(used).toBeLessThan(PDF.length + 2_000);
    const sent = await shop.send(form, { menu: [id] });
    expect(sent.status, sent.text).toBe(201);
    expect(PDF.equals(await download(shop, id))).toBe(true);
    await shop.call("DELETE", `/${form}/submissions/${sent.json.data.id}`);
    await shop.run(sweepFiles);
    expect(await names()).toEqual([]);
    expect((await store.usage(shop.part)).bytes).toBeLessThan(before.bytes + 4_000);
  });

  it("are in backups, whatever they are restored into", async () => {
    const { files } = await open();
    const { form, shop, upload } = await openShop(files);
    const { id } = (await upload()).json.data;
    await shop.send(form, { menu: [id] });
    const backup = await shop.harness.app.fetch(
      new Request("http://platform.test/api/platform/admin/storage/backup", {
        headers: { authorization: `Bearer ${shop.harness.adminToken}` },
      }),
    );
    const restored = createMemoryDriver({ clock: createTestClock() });
    if (backup.body === null) throw new Error(String(backup.status));
    await readBackup(backup.body, { docs: (part, docs) => restored.load(part, docs) });
    const other = await createShop({ store: restored });
    cleanups.push(() => other.harness.close());
    expect(PDF.equals(await download({ ...other, key: shop.key }, id))).toBe(true);
  });

  it("are refused where the store has no room, and erased with the store", async () => {
    const { files, names } = await open();
    const plans = [
      { id: "free", requestsPerMinute: 60 },
      { id: "enterprise", requestsPerMinute: 6_000, megabytesPerStore: 1 },
    ];
    const { shop, upload } = await openShop(files, plans);
    expect((await upload()).status).toBe(201);
    const full = await shop.harness.store.usage(shop.part);
    const refused = await upload();
    expect([refused.status, refused.json.error.code]).toEqual([409, "quota_exceeded"]);
    expect(await shop.harness.store.usage(shop.part)).toEqual(full);
    expect(await names()).toHaveLength(1);
    await eraseStoreData(shop.harness.services, shop.key.storeId, new AbortController().signal);
    expect(await names()).toEqual([]);
  });
});

it("keeps nothing of an upload whose file could not be written", async () => {
  const base = await makeFolder();
  await writeFile(join(base, "file"), "");
  const { shop, upload } = await openShop({ driver: "fs", base: join(base, "file") });
  const before = await shop.harness.store.usage(shop.part);
  const refused = await upload();
  expect(refused.status).toBe(503);
  await rm(join(base, "file"));
  shop.harness.clock.advance(3_700_000);
  await shop.run(sweepFiles);
  const { documents, bytes } = await shop.harness.store.usage(shop.part);
  expect([documents, bytes]).toEqual([before.documents, before.bytes]);
});
