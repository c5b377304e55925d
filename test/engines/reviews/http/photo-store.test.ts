import { unzipSync } from "fflate";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";

import { eraseStoreData } from "../../../../server/accounts/customers/erase.ts";
import { ConfigSchema } from "../../../../server/config/schema.ts";
import { indexEntries } from "../../../../server/core/collection.ts";
import { contents, gonePhoto, photos } from "../../../../server/engines/reviews/repository.ts";
import { readPhotos, storePhotos } from "../../../../server/engines/reviews/services/photos.ts";
import { cleanUp, PLACES, restoreBackup, toCleanUp } from "../../../support/file-places.ts";
import type { Place } from "../../../support/file-places.ts";
import { createShop } from "../shop.ts";
import type { Shop } from "../shop.ts";

// Photos of reviews, in the file store of the uploads and, where there is none, among the documents.

afterEach(cleanUp);

const chunksOf = async (shop: Shop): Promise<string[]> =>
  (await shop.harness.store.page(shop.part, contents.chunks.name, { limit: 100 })).items.map(
    ({ key }) => key,
  );

type Opened = Pick<Place, "files" | "names"> | null;
const STORES: readonly [string, () => Promise<Opened>][] = [["documents", async () => null], ...PLACES];

async function openShop(place: Opened, plans?: unknown) {
  const shop = await createShop({
    config: {
      ...(place === null ? {} : { files: place.files }),
      ...(plans === undefined ? {} : { plans: ConfigSchema.parse({ plans }).plans }),
    },
  });
  toCleanUp(() => shop.harness.close());
  return { shop, names: place?.names ?? (() => chunksOf(shop)) };
}

/** The path of the form of an order with one product, and of one that is cancelled. */
async function invite(shop: Shop, name: string): Promise<{ path: string; id: string }> {
  const email = `${name}@shop.example`;
  const item = {
    target: { type: "product", id: name },
    name: "The loaf",
    url: "https://bakery.example/loaf",
  };
  const { id } = await shop.make("/invitations", {
    order_id: name,
    email,
    customer_name: "Ada",
    fulfilled_at: "2026-05-01T09:00:00.000Z",
    items: [item],
  });
  await shop.make(`/invitations/${id}/send`);
  const mail = (await shop.mails()).find(({ to }) => to === email);
  return { id, path: new URL(mail.data.review_url).pathname };
}

/** Noise: a WebP of some 100 KB. */
const picture = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 500,
      height: 500,
      channels: 3,
      background: "#888",
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer();

async function send(shop: Shop, path: string, { rating = "5", count = 2 } = {}): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries({
    item: "0",
    rating,
    body: "Crisp, and gone by noon.",
    display_name: "Ada",
  }))
    body.append(name, value);
  for (let n = 0; n < count; n += 1)
    body.append("photos", new File([new Uint8Array(await picture())], "a.png"));
  return shop.harness.app.fetch(new Request(`http://platform.test${path}`, { method: "POST", body }));
}

async function fetchPhoto({ harness }: Shop, url: string): Promise<Buffer | number> {
  const answer = await harness.app.fetch(new Request(`http://platform.test${new URL(url).pathname}`));
  return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status;
}

const bytesOf = (content: Buffer | number): number => (typeof content === "number" ? 0 : content.length);
const sweep = (shop: Shop): Promise<void> => shop.run("reviews.photos");

describe.each(STORES)("photos in %s", (name, open) => {
  it("are served, counted to the byte, and deleted with their review", async () => {
    const { names, shop } = await openShop(await open());
    const { store } = shop.harness;
    const { path } = await invite(shop, "loaf");
    const before = await store.usage(shop.part);
    expect((await send(shop, path)).status).toBe(200);
    expect(await names()).toHaveLength(2);
    const [review] = await shop.read("?target_id=loaf");
    const shown = await Promise.all(review.media.map(({ url }: { url: string }) => fetchPhoto(shop, url)));
    const bytes = shown.reduce((sum: number, one) => sum + bytesOf(one), 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect((await sharp(shown[0]).metadata()).format).toBe("webp");
    const used = (await store.usage(shop.part)).bytes - before.bytes;
    // Among the documents a byte takes four thirds of one.
    const stored = name === "documents" ? Math.ceil((bytes * 4) / 3) : bytes;
    expect(used - stored).toBeGreaterThan(0);
    expect(used - stored).toBeLessThan(12_000);
    // What is in use is no work for the sweep.
    await sweep(shop);
    expect(await names()).toHaveLength(2);
    const full = await store.usage(shop.part);
    expect((await shop.call("DELETE", `/${review.id}`)).status).toBe(204);
    expect(await fetchPhoto(shop, review.media[0].url)).toBe(404);
    await sweep(shop);
    expect(await names()).toEqual([]);
    expect(full.bytes - (await store.usage(shop.part)).bytes).toBeGreaterThan(stored);
  });

  it("are in backups, whatever they are restored into", async () => {
    const { shop } = await openShop(await open());
    await send(shop, (await invite(shop, "loaf")).path);
    const [{ media }] = await shop.read("?target_id=loaf");
    const shown = await fetchPhoto(shop, media[0].url);
    const other = await createShop({ store: await restoreBackup(shop.harness) });
    toCleanUp(() => other.harness.close());
    expect(await fetchPhoto(other, media[0].url)).toEqual(shown);
  });

  it("are not stored with what is refused, and discarded where no review is stored", async () => {
    const { names, shop } = await openShop(await open());
    const { store } = shop.harness;
    const [first, second] = [await invite(shop, "loaf"), await invite(shop, "bun")];
    expect((await send(shop, first.path, { rating: "9" })).status).toBe(422);
    expect(await names()).toEqual([]);
    await shop.make(`/invitations/${second.id}/cancel`);
    const before = await store.usage(shop.part);
    await send(shop, second.path);
    await sweep(shop);
    expect([await names(), await store.usage(shop.part)]).toEqual([[], before]);
    // The process died before the review was stored.
    const { clock, services } = shop.harness;
    const content = await picture();
    const read = await readPhotos(shop.part, { newId: services.newId, ports: {} }, [
      { name: "a.png", content },
    ]);
    await storePhotos({ ...services, now: clock.now(), part: shop.part }, read.photos);
    await sweep(shop);
    expect(await names()).toHaveLength(1);
    clock.advance(3_600_000);
    await sweep(shop);
    expect([await names(), await store.usage(shop.part)]).toEqual([[], before]);
  });

  it("are refused where the store has no room, and erased with the store", async () => {
    const plans = [
      { id: "free", requestsPerMinute: 60 },
      { id: "enterprise", requestsPerMinute: 6_000, megabytesPerStore: 1 },
    ];
    const { names, shop } = await openShop(await open(), plans);
    const paths = [];
    for (const one of ["a", "b", "c", "d", "e"]) paths.push((await invite(shop, one)).path);
    const statuses = [];
    for (const path of paths) statuses.push((await send(shop, path, { count: 3 })).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 409]);
    const accepted = statuses.filter((status) => status === 200).length;
    expect(await names()).toHaveLength(3 * accepted);
    await eraseStoreData(shop.harness.services, shop.key.storeId, new AbortController().signal);
    expect(await names()).toEqual([]);
  });

  it("are in the export of their person, and erased with it", async () => {
    const { names, shop } = await openShop(await open());
    const { call, services } = shop.harness;
    for (const name of ["loaf", "bun"]) await send(shop, (await invite(shop, name)).path, { count: 3 });
    const { media } = (await shop.read("?target_id=loaf"))[0];
    const shown = await fetchPhoto(shop, media[0].url);
    const request = async (type: string) => {
      const body = { type, email: "loaf@shop.example" };
      const asked = await call("POST", "/v1/account/privacy-requests", { key: shop.key, body });
      await services.jobs.run("privacy.work");
      return asked.json.data.id;
    };
    const path = `/v1/account/privacy-requests/${await request("export")}/export`;
    const headers = { authorization: `Bearer ${shop.key.plaintext}` };
    const zip = await shop.harness.app.fetch(new Request(`http://platform.test${path}`, { headers }));
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    expect(Object.keys(files).filter((one) => one.endsWith(".webp"))).toHaveLength(3);
    expect(Buffer.from(files[`live/reviews.photos/${media[0].id}.webp`] ?? [])).toEqual(shown);
    await request("erase");
    await sweep(shop);
    expect(await names()).toHaveLength(3);
  });

  it("of an older version stay readable, and are deleted like others", async () => {
    const { names, shop } = await openShop(await open());
    await send(shop, (await invite(shop, "loaf")).path, { count: 1 });
    const [review] = await shop.read("?target_id=loaf");
    const shown = await fetchPhoto(shop, review.media[0].url);
    const { id } = review.media[0];
    const { services, store } = shop.harness;
    const photo = await services.runTx(shop.part, async (tx) => {
      const stored = await tx.require(photos, id);
      tx.put(photos, stored, gonePhoto(stored.value, stored.value.created_at));
      return stored.value;
    });
    await sweep(shop);
    expect(await names()).toEqual([]);
    // As version 1 stored it: with its content.
    const { bytes: _, chunks: __, expires_at: ___, ...old } = photo;
    const data = Buffer.isBuffer(shown) ? shown.toString("base64") : "";
    const entries = indexEntries(photos, photo).map(([coll, entry]) => ({
      put: `${shop.part}:${coll}:${entry}` as const,
      value: "1",
    }));
    const value = JSON.stringify({ schema_version: 1, ...old, data });
    await store.commit(shop.part, [{ put: `${shop.part}:reviews.photos:${id}`, value }, ...entries]);
    expect(await fetchPhoto(shop, review.media[0].url)).toEqual(shown);
    await shop.call("DELETE", `/${review.id}`);
    await sweep(shop);
    expect((await store.page(shop.part, "reviews.photos", { limit: 10 })).items).toEqual([]);
  });
});
