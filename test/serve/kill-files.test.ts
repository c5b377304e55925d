import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";

import { hasRedis, startRedis } from "../support/redis.ts";
import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import { createCleanup, makeFolder } from "./outside.ts";

// Uploads and photos of reviews in a folder, and in a driver of unstorage: what was acknowledged is there after kill -9, and no
// file is there without its document.

const ROUNDS = Number(process.env.PLATFORM_KILLS ?? 10);
const CLIENTS = 3;

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const start = (dir: string): Promise<Child> => startChild(cleanup, dir, { PLATFORM_LOG_LEVEL: "warn" });

interface Place {
  readonly files: object;
  /** Ids of the stored files. */
  readonly ids: () => Promise<string[]>;
  readonly empty: () => Promise<void>;
}

const PLACES: readonly [name: string, open: (dir: string) => Promise<Place>][] = [
  [
    "a folder",
    async (dir) => {
      const folder = join(dir, "data", "files");
      const list = async () =>
        (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
      return {
        files: { driver: "fs" },
        ids: async () => (await list()).map(({ name }) => name.replace(/\.part$/, "")),
        async empty() {
          for (const { name, parentPath } of await list()) await rm(join(parentPath, name));
        },
      };
    },
  ],
  [
    "the driver of unstorage for Redis",
    async () => {
      const redis = await startRedis();
      cleanup.add(() => redis.stop());
      const keys = () => redis.cli("keys", "files:*").split("\n").filter(Boolean);
      return {
        files: { driver: "redis", options: { url: redis.url, base: "files" } },
        ids: async () => keys().map((key) => key.slice(key.lastIndexOf(":") + 1)),
        empty: async () => void redis.cli("flushall"),
      };
    },
  ],
];

async function ask(url: string, token: string, body?: object): Promise<{ status: number; bytes: Buffer }> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function dataOf(answer: ReturnType<typeof ask>) {
  const { bytes, status } = await answer;
  if (status >= 300) throw new Error(`${status} ${bytes.toString()}`);
  return JSON.parse(bytes.toString()).data;
}

interface Shop {
  readonly key: string;
  readonly form: string;
  /** Paths of forms for reviews of products that nobody has reviewed yet. */
  readonly open: string[];
}

const ORDERS = 10;
/** Products of an order. */
const ITEMS = 50;

async function openShop(child: Child): Promise<Shop> {
  const { token, url } = child;
  const admin = `${url}/api/platform/admin`;
  const { customer_id } = await dataOf(ask(`${admin}/seed`, token, { engines: ["tiers"] }));
  const { api_key: key } = await dataOf(
    ask(`${admin}/keys`, token, { customer_id, preset: "full", name: "kill" }),
  );
  const fields = [{ key: "menu", type: "file", label: "Menu" }];
  const { id: form } = await dataOf(
    ask(`${url}/v1/forms`, key, { name: "Menus", fields, settings: { captcha: "none" } }),
  );
  await dataOf(ask(`${url}/v1/forms/${form}/publish`, key, {}));
  for (let order = 0; order < ORDERS; order += 1) {
    const items = Array.from({ length: ITEMS }, (_, item) => ({
      target: { type: "product", id: `loaf-${order}-${item}` },
      name: "The loaf",
    }));
    const invitation = { order_id: `order-${order}`, email: `ada${order}@shop.example`, items };
    const { id } = await dataOf(
      ask(`${url}/v1/reviews/invitations`, key, {
        ...invitation,
        customer_name: "Ada",
        fulfilled_at: new Date().toISOString(),
      }),
    );
    await dataOf(ask(`${url}/v1/reviews/invitations/${id}/send`, key, {}));
  }
  const mails = (await exported(child)).matchAll(/"review_url":"[^"]*(\/api\/public\/reviews\/[^"/]+)"/g);
  const paths = [...new Set(Array.from(mails, ([, path = ""]) => path))];
  expect(paths).toHaveLength(ORDERS);
  return {
    key,
    form,
    open: paths.flatMap((path) => Array.from({ length: ITEMS }, (_, at) => `${path}?${at}`)),
  };
}

const exported = async ({ token, url }: Child): Promise<string> =>
  (await ask(`${url}/api/platform/admin/storage/export`, token)).bytes.toString();

/** Uploads and submits files until the connection breaks; digests of what was acknowledged, by the id of the file. */
async function upload(child: Child, { form, key }: Shop, known: Map<string, string>): Promise<void> {
  const forms = `${child.url}/v1/forms/${form}`;
  try {
    for (let n = 0; ; n += 1) {
      const text = `${crypto.randomUUID()}${"soup\n".repeat(20_000)}`;
      const file = { name: `${n}.txt`, content: Buffer.from(text).toString("base64") };
      const { id } = await dataOf(ask(`${forms}/uploads`, key, { field: "menu", file }));
      await dataOf(ask(`${forms}/submissions`, key, { data: { menu: [id] } }));
      known.set(id, createHash("sha256").update(text).digest("hex"));
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

const PHOTO = sharp({ create: { width: 60, height: 40, channels: 3, background: "#8a4b08" } })
  .png()
  .toBuffer();

/** Sends reviews with photos until the connection breaks; paths of those that were accepted. */
async function review(child: Child, { open }: Shop, accepted: Set<string>): Promise<void> {
  try {
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const [form = "", item = ""] = path.split("?");
      const body = new FormData();
      for (const [name, value] of Object.entries({
        item,
        rating: "5",
        body: "Gone by noon.",
        display_name: "Ada",
      }))
        body.append(name, value);
      for (const name of ["a.png", "b.png"])
        body.append("photos", new File([new Uint8Array(await PHOTO)], name));
      const { status } = await fetch(`${child.url}${form}`, { method: "POST", body });
      if (status !== 200) throw new Error(`${status} for a review`);
      accepted.add(path);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Photos of reviews that do not come back as a WebP, and how many there are. */
/** A fast machine stores more photos than anybody may fetch in a minute. */
async function getPatiently(url: string): Promise<Response> {
  const answer = await fetch(url);
  if (answer.status !== 429) return answer;
  await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get("retry-after"))));
  return getPatiently(url);
}

async function findLostPhotos(child: Child, { key }: Shop): Promise<{ lost: string[]; count: number }> {
  const lost: string[] = [];
  let count = 0;
  let cursor = "";
  do {
    const { bytes } = await ask(`${child.url}/v1/reviews?limit=100${cursor}`, key);
    const page = JSON.parse(bytes.toString());
    for (const { media } of page.data)
      for (const { url } of media) {
        count += 1;
        const answer = await getPatiently(`${child.url}${new URL(url).pathname}`);
        const found = Buffer.from(await answer.arrayBuffer());
        if (answer.status !== 200 || found.subarray(8, 12).toString() !== "WEBP") lost.push(url);
      }
    const next: string | null = page.meta.pagination?.next_cursor ?? page.meta.next_cursor ?? null;
    cursor = next === null ? "" : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== "");
  return { lost, count };
}

/** Files that were acknowledged and are not there as they were. */
async function findLost(child: Child, { key }: Shop, known: ReadonlyMap<string, string>): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, digest] of known) {
    const { bytes, status } = await ask(`${child.url}/v1/forms/files/${id}`, key);
    if (status !== 200 || createHash("sha256").update(bytes).digest("hex") !== digest) lost.push(id);
  }
  return lost;
}

describe.runIf(hasRedis).each(PLACES)("kill -9 during uploads into %s", (_, open) => {
  it(`loses no acknowledged file, and leaves none without its document (${ROUNDS} kills)`, async () => {
    const dir = await makeFolder(cleanup);
    const place = await open(dir);
    await writeFile(join(dir, "platform.config.json"), JSON.stringify({ files: place.files }));
    const known = new Map<string, string>();
    const accepted = new Set<string>();
    let child = await start(dir);
    const shop = await openShop(child);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = [known.size, accepted.size] as const;
      const clients = [
        ...Array.from({ length: CLIENTS }, () => upload(child, shop, known)),
        ...Array.from({ length: CLIENTS }, () => review(child, shop, accepted)),
      ];
      while (known.size < before[0] + 3 || accepted.size < before[1] + 3)
        await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
      child.kill("SIGKILL");
      expect(await child.exited).toBe("SIGKILL");
      await Promise.all(clients);
      child = await start(dir);
    }
    expect(shop.open.length).toBeGreaterThan(0);
    expect(await findLost(child, shop, known)).toEqual([]);
    const photos = await findLostPhotos(child, shop);
    expect(photos.lost).toEqual([]);
    expect(photos.count).toBeGreaterThanOrEqual(2 * accepted.size);
    const stored = await place.ids();
    expect(stored.length).toBeGreaterThanOrEqual(known.size + photos.count);
    const documents = (await exported(child)).matchAll(/"k":"[^"]*:(?:forms\.files|reviews\.photos):(\w+)"/g);
    const described = new Set(Array.from(documents, ([, id]) => id));
    expect(stored.filter((id) => !described.has(id))).toEqual([]);
    // Without the files the check reports them.
    await place.empty();
    expect(await findLost(child, shop, known)).toHaveLength(known.size);
    expect((await findLostPhotos(child, shop)).lost).toHaveLength(photos.count);
  }, 600_000);
});
