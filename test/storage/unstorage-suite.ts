import { createStorage, restoreSnapshot } from "unstorage";
import type { Driver, Storage } from "unstorage";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

/** What unstorage's own suite demands of a driver, and what ours keep beyond it. */
export function unstorageSuite(open: () => Driver | Promise<Driver>): void {
  let driver: Driver;
  let storage: Storage;
  beforeAll(async () => {
    driver = await open();
    storage = createStorage({ driver });
  });
  afterEach(() => storage.clear());
  afterAll(() => storage.dispose());
  const sorted = async (base?: string, maxDepth?: number): Promise<string[]> =>
    (await storage.getKeys(base, maxDepth === undefined ? {} : { maxDepth })).toSorted();

  it("is empty at first, and takes a snapshot", async () => {
    expect(await storage.hasItem("s1:a")).toBe(false);
    expect(await storage.getItem("s2:a")).toBeNull();
    expect(await storage.getKeys()).toEqual([]);
    await restoreSnapshot(storage, { initial: "works" });
    expect(await storage.getItem("initial")).toBe("works");
  });

  it("returns what was set, whatever stands behind a question mark", async () => {
    await storage.setItem("s1:a", "one");
    await storage.setItem("s3:a?q=1", "three");
    expect([
      await storage.hasItem("s1:a"),
      await storage.getItem("s1:a"),
      await storage.getItem("s3:a?q=2"),
    ]).toEqual([true, "one", "three"]);
  });

  it("lists keys, below a base and to a depth", async () => {
    for (const key of ["d0", "d0:d1:x", "d0:d1:y", "d0:d1_0", "e0:a?q=1"]) await storage.setItem(key, "v");
    expect(await sorted()).toEqual(["d0", "d0:d1:x", "d0:d1:y", "d0:d1_0", "e0:a"]);
    expect(await sorted("d0")).toEqual(["d0:d1:x", "d0:d1:y", "d0:d1_0"]);
    expect(await sorted(undefined, 0)).toEqual(["d0"]);
    expect(await sorted(undefined, 1)).toEqual(["d0", "d0:d1_0", "e0:a"]);
  });

  it("stores objects, primitives and what toJSON makes, and refuses instances", async () => {
    await storage.setItem("/data/test.json", { json: "works" });
    await storage.setItem("/data/true.json", true);
    await storage.setItem("/data/zero", 0);
    await storage.setItem("/data/false", false);
    await storage.setItem("/data/own.json", { toJSON: () => ({ own: 1 }) });
    expect(await storage.getItem("/data/test.json")).toEqual({ json: "works" });
    expect(await storage.getItem("/data/true.json")).toBe(true);
    expect(await storage.getItem("/data/zero")).toBe(0);
    expect(await storage.getItem("/data/false")).toBe(false);
    expect(await storage.getItem("/data/own.json")).toEqual({ own: 1 });
    await expect(storage.setItem("/data/other.json", new Map())).rejects.toThrow("Cannot stringify");
  });

  it("stores bytes", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await storage.setItemRaw("/data/raw.bin", bytes);
    expect(new Uint8Array((await storage.getItemRaw<Buffer>("/data/raw.bin")) ?? [])).toEqual(bytes);
  });

  it("sets and gets many", async () => {
    await storage.setItems([
      { key: "t:1", value: "one" },
      { key: "t:2?q=1", value: "two" },
    ]);
    expect(await storage.getItems([{ key: "t:1" }, "t:2?q=1", "t:3"])).toEqual([
      { key: "t:1", value: "one" },
      { key: "t:2", value: "two" },
      { key: "t:3", value: null },
    ]);
  });

  it("removes and clears, below a base too", async () => {
    for (const key of ["a:1", "a:2", "b:1"]) await storage.setItem(key, "v");
    await storage.removeItem("a:1");
    await storage.removeItem("a:1");
    expect([await storage.hasItem("a:1"), await storage.getItem("a:1")]).toEqual([false, null]);
    await driver.clear?.("a:", {});
    expect(await sorted()).toEqual(["b:1"]);
    await storage.clear();
    await storage.clear();
    expect(await sorted()).toEqual([]);
  });

  it("takes any key: other scripts, blanks, long ones, and keys that differ in case", async () => {
    const long = "x".repeat(400);
    const keys = ["ключ:値 1", "a%b~c@d", "A", "a", "..b", `${long}:1`, `${long}:2`, "p:c:a"];
    for (const [i, key] of keys.entries()) await driver.setItem?.(key, `v${i}`, {});
    for (const [i, key] of keys.entries()) expect(await driver.getItem(key)).toBe(`v${i}`);
    expect((await driver.getKeys("", {})).toSorted()).toEqual(keys.toSorted());
    expect((await driver.getKeys(long, {})).toSorted()).toEqual(keys.filter((key) => key.startsWith(long)));
  });

  it("takes any text and large values, replaced and removed as a whole", async () => {
    const texts = ["", "line\nfeeds\r\n", "ü€𝄞\u0000", "y".repeat(3_000_000), "z".repeat(700_000), "short"];
    for (const text of texts) {
      await driver.setItem?.("value", text, {});
      expect((await driver.getItem("value")) === text).toBe(true);
    }
  });

  it("knows size and time, and meta of its users", async () => {
    await storage.setItem("m", "12345");
    const meta = await storage.getMeta("m");
    expect([meta["size"], meta.mtime instanceof Date]).toEqual([5, true]);
    await storage.setMeta("m", { owner: "ada" });
    expect(await storage.getMeta("m")).toMatchObject({ size: 5, owner: "ada" });
  });
}
