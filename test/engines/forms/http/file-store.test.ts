import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../../../server/config/schema.ts";
import { eraseStoreData } from "../../../../server/accounts/customers/erase.ts";
import { contents, files as uploads } from "../../../../server/engines/forms/repository.ts";
import { checkContents, checkFiles } from "../../../../server/operations/doctor/diagnose-files.ts";
import { sweepFiles } from "../../../../server/engines/forms/jobs.ts";
import { cleanUp, makeFolder, PLACES, restoreBackup, toCleanUp } from "../../../support/file-places.ts";
import type { Place } from "../../../support/file-places.ts";
import { createShop, plain } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Uploads in a file store instead of the documents: in a folder, and in drivers of unstorage with and without raw values.

afterEach(cleanUp);

const PDF = Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(600_000, "x\u00ff\n", "latin1")]);

async function openShop(files: Place["files"], plans?: unknown) {
  const config = { files, ...(plans === undefined ? {} : { plans: ConfigSchema.parse({ plans }).plans }) };
  const shop = await createShop({ config });
  toCleanUp(() => shop.harness.close());
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
    const other = await createShop({ store: await restoreBackup(shop.harness) });
    toCleanUp(() => other.harness.close());
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

describe.each(PLACES)("doctor and verify with files in %s", (_name, open) => {
  it("report what is missing and what nothing refers to, and delete the latter", async () => {
    const { files } = await open();
    const { form, shop, upload } = await openShop(files);
    const { admin } = shop.harness;
    const findings = async () => {
      const { checks } = (await admin("GET", "/api/platform/admin/doctor")).json.data;
      const named = (id: string) => checks.find((check: { id: string }) => check.id === id);
      return [named("files.store"), named("files.contents")];
    };
    const verify = async (fix: boolean) =>
      (await admin("POST", "/api/platform/admin/storage/verify", { body: { fix } })).json.data;
    const place = shop.harness.services.ports.files;
    if (place === undefined) throw new Error("There is no file store.");
    const { id } = (await upload()).json.data;
    await shop.send(form, { menu: [id] });
    // The process died before the content of this one was there: the sweep deletes its document.
    const { value } = await shop.harness.services.runTx(shop.part, (tx) => tx.require(uploads, id));
    const failing = async () => {
      throw new Error("The process died.");
    };
    const half = { ...value, id: `${id}x`, state: "receiving" as const, expires_at: value.created_at };
    const broken = { ...place, write: failing, remove: failing };
    await expect(
      contents.store({ part: shop.part, ports: { files: broken }, runTx: shop.harness.services.runTx }, [
        { file: half, content: PDF },
      ]),
    ).rejects.toThrow("died");
    expect(await findings()).toMatchObject([
      { status: "ok", detail: "write, read and delete succeeded" },
      { status: "ok", detail: "2 files, all referred to and present" },
    ]);
    expect(await verify(true)).toMatchObject({ ok: true, problem_count: 0 });
    // The file of an engine that was removed from the configuration is referred to all the same.
    await shop.harness.store.commit(shop.part, [{ put: `${shop.part}:cards.held:gif_1.3`, value: "{}" }]);
    await place.write(`${shop.part}/gif_1`, PDF);
    // A file of a store that is not in this data set belongs to somebody else.
    await place.write("sto_other/upl_1", PDF);
    await place.write(`${shop.part}/upl_stray`, PDF);
    await place.remove(`${shop.part}/${id}`);
    expect((await findings())[1]).toMatchObject({
      status: "fail",
      detail: `1 of 2 files are missing: ${shop.part}/${id}`,
      fix: expect.stringContaining("backup"),
    });
    expect(await verify(false)).toMatchObject({
      ok: false,
      problems: [
        { key: `${shop.part}/${id}`, problem: "the file is missing", fixed: false },
        { key: `${shop.part}/upl_stray`, problem: "no document refers to this file", fixed: false },
      ],
    });
    await place.write(`${shop.part}/${id}`, PDF);
    expect((await findings())[1]).toMatchObject({
      status: "warn",
      detail: `1 files that no document refers to: ${shop.part}/upl_stray`,
      fix: "platform storage verify --fix deletes them.",
    });
    expect(await verify(true)).toMatchObject({ ok: true, problem_count: 1, fixed_count: 1 });
    expect((await findings())[1]).toMatchObject({ status: "ok" });
    expect(await place.read("sto_other/upl_1")).not.toBeNull();
  });
});

it("is reported by doctor where the file store cannot be reached, or is no longer configured", async () => {
  const base = await makeFolder();
  const { form, shop, upload } = await openShop({ driver: "fs", base });
  const { id } = (await upload()).json.data;
  await shop.send(form, { menu: [id] });
  const { services } = shop.harness;
  const { files: _, ...ports } = services.ports;
  expect(await checkContents({ ...services, ports })).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("the setting files is missing"),
  });
  await rm(base, { recursive: true });
  await writeFile(base, "");
  expect(await checkFiles(services)).toMatchObject({
    status: "fail",
    fix: expect.stringContaining("writable"),
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
