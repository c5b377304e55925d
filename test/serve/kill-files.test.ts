import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import { createCleanup, makeFolder } from "./outside.ts";

// Uploads in a folder: what was acknowledged is there after kill -9, and no file is there without its document.

const ROUNDS = Number(process.env.PLATFORM_KILLS ?? 10);
const CLIENTS = 3;

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const start = (dir: string): Promise<Child> =>
  startChild(cleanup, dir, { PLATFORM_FILES_DRIVER: "fs", PLATFORM_LOG_LEVEL: "warn" });

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
}

async function openShop({ token, url }: Child): Promise<Shop> {
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
  return { key, form };
}

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

/** Files that were acknowledged and are not there as they were. */
async function findLost(child: Child, { key }: Shop, known: ReadonlyMap<string, string>): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, digest] of known) {
    const { bytes, status } = await ask(`${child.url}/v1/forms/files/${id}`, key);
    if (status !== 200 || createHash("sha256").update(bytes).digest("hex") !== digest) lost.push(id);
  }
  return lost;
}

async function storedFiles(dir: string): Promise<string[]> {
  const folder = join(dir, "data", "files");
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
}

describe("kill -9 during uploads", () => {
  it(`loses no acknowledged file, and leaves none without its document (${ROUNDS} kills)`, async () => {
    const dir = await makeFolder(cleanup);
    const known = new Map<string, string>();
    let child = await start(dir);
    const shop = await openShop(child);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = known.size;
      const clients = Array.from({ length: CLIENTS }, () => upload(child, shop, known));
      while (known.size < before + 3) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
      child.kill("SIGKILL");
      expect(await child.exited).toBe("SIGKILL");
      await Promise.all(clients);
      child = await start(dir);
    }
    expect(await findLost(child, shop, known)).toEqual([]);
    const { bytes } = await ask(`${child.url}/api/platform/admin/storage/export`, child.token);
    const files = await storedFiles(dir);
    expect(files.length).toBeGreaterThanOrEqual(known.size);
    const described = new Set(
      Array.from(bytes.toString().matchAll(/"k":"[^"]*:forms\.files:(\w+)"/g), ([, id]) => id),
    );
    const strays = files
      .map((file) => /(\w+)(?:\.part)?$/.exec(file)?.[1])
      .filter((id) => !described.has(id));
    expect(strays).toEqual([]);
    // Without the files the check reports them.
    for (const file of files) await rm(file);
    expect(await findLost(child, shop, known)).toHaveLength(known.size);
  }, 300_000);
});
