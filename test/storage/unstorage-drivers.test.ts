import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createStorage } from "unstorage";
import { afterAll, describe, expect, it } from "vitest";

import fs from "../../server/storage/drivers/fs.ts";
import s3 from "../../server/storage/drivers/s3.ts";
import { startS3Double } from "../support/s3-double.ts";
import { unstorageSuite } from "./unstorage-suite.ts";

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function makeFolder(): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), "unstorage-"));
  closers.push(() => rm(base, { recursive: true, force: true }));
  return base;
}

describe("storage/fs", () => {
  unstorageSuite(async () => fs({ base: await makeFolder() }));

  it("finds everything again", async () => {
    const base = await makeFolder();
    for (const expected of [null, "v"]) {
      const storage = createStorage({ driver: fs({ base }) });
      expect(await storage.getItem("a:b")).toBe(expected);
      await storage.setItem("a:b", "v");
      await storage.dispose();
    }
  });
});

describe("storage/s3", () => {
  unstorageSuite(async () => {
    const double = await startS3Double();
    closers.push(() => double.close());
    const { accessKeyId, secretAccessKey, region } = double.signer;
    return s3({ endpoint: double.endpoint, bucket: double.bucket, region, accessKeyId, secretAccessKey });
  });
});
