import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver } from "../../server/storage/fs.ts";
import { createTestClock } from "./conformance.ts";
import { createSimDisk } from "./sim-disk.ts";

let driver: FsDriver;
beforeEach(async () => {
  const io = createSimDisk(1).io();
  driver = await openFsDriver({
    base: "/store",
    clock: createTestClock(),
    io,
    lock: async () => async () => {},
  });
  await put("a", 1);
  await put("b", 1);
});
afterEach(() => driver.close());

const put = (id: string, value: number) =>
  driver.commit("p", [
    { put: `p:c:${id}`, value: JSON.stringify(value) },
    { put: `p:ix.c.new:@${id}~${id}`, value: "1" },
  ]);
const page = () => driver.page("p", "ix.c.new", { prefix: "@", limit: 10, of: "c" });
const values = async () => (await page()).items.map(({ key, value }) => `${key}=${value}`);

describe("a page that is kept", () => {
  it("is the same object while nothing changes, and after writes elsewhere", async () => {
    const first = await page();
    await driver.commit("p", [{ put: "p:other:x", value: "1" }]);
    await driver.commit("q", [{ put: "q:c:a", value: "9" }]);
    expect(await page()).toBe(first);
    expect(await driver.page("p", "ix.c.new", { prefix: "@", limit: 1, of: "c" })).not.toBe(first);
  });

  it("is read again after a document, an entry or the whole collection changed", async () => {
    expect(await values()).toEqual(["p:c:a=1", "p:c:b=1"]);
    await driver.commit("p", [{ put: "p:c:a", value: "2" }]);
    expect(await values()).toEqual(["p:c:a=2", "p:c:b=1"]);
    await driver.commit("p", [{ del: "p:ix.c.new:@a~a" }]);
    expect(await values()).toEqual(["p:c:b=1"]);
    await driver.commit("p", [{ del: "p:c:b" }, { del: "p:ix.c.new:@b~b" }, { del: "p:c:a" }]);
    expect(await values()).toEqual([]);
    await put("b", 3);
    expect(await values()).toEqual(["p:c:b=3"]);
    await driver.compact();
    expect(await values()).toEqual(["p:c:b=3"]);
  });
});
