import { describe, expect, it } from "vitest";

import type { Doc, Op, Quota, StoreDriver } from "../../server/storage/contract.ts";
import { snapshotOf, usageOf } from "./model.ts";

const FREE: Quota = { documents: Infinity, bytes: Infinity, systemBytes: Infinity };
const put = (id: string, value = "1"): Op => ({ put: `p:c:${id}`, value });

/** What every driver must answer about what a partition holds, and may hold. */
export function usageConformance(name: string, start: () => Promise<{ driver: StoreDriver }>): void {
  const counted = async (driver: StoreDriver) => {
    const docs = (await snapshotOf(driver, "p")).map((doc): [string, Doc] => [doc.key, doc]);
    return usageOf(new Map(docs), "p");
  };

  describe(`${name}: what a partition holds`, () => {
    it("counts documents, bytes of keys and values and index entries, the platform's own apart", async () => {
      const { driver } = await start();
      expect(await driver.usage("p")).toEqual({ documents: 0, bytes: 0, systemBytes: 0 });
      await driver.commit("p", [put("a", '"é"'), { put: "p:ix.c.new:@1~a", value: "1" }]);
      await driver.commit("p", [{ put: "p:kernel.events:e", value: '"event"' }]);
      await driver.commit("q", [{ put: "q:c:other", value: "1" }]);
      expect(await driver.usage("p")).toEqual({ documents: 1, bytes: 9 + 256, systemBytes: 24 });
      const entries = ["p:ix.c.new:@1~a", "p:ix.c.new:@2~b", "p:ix.kernel.events.new:@1~e"] as const;
      await driver.commit("p", [
        put("a", "1"),
        put("b", "22"),
        ...entries.map((key): Op => ({ put: key, value: "1" })),
      ]);
      expect(await driver.usage("p")).toEqual({ documents: 2, bytes: 13 + 512, systemBytes: 24 + 256 });
      expect((await driver.recount?.("p", false)) ?? false).toBe(false);
      await driver.commit("p", [{ del: "p:c:a" }, { del: "p:c:none" }, { del: "p:kernel.events:e" }]);
      expect(await driver.usage("p")).toEqual({ documents: 1, bytes: 7 + 512, systemBytes: 256 });
      await driver.commit("p", [{ del: "p:ix.c.new:@0~none" }, ...entries.map((key): Op => ({ del: key }))]);
      expect(await driver.usage("p")).toEqual({ documents: 1, bytes: 7, systemBytes: 0 });
      await expect(driver.usage("P")).rejects.toMatchObject({ code: "INVALID" });
    });

    it("refuses what adds beyond the quota, and nothing else", async () => {
      const { driver } = await start();
      await driver.commit("p", [put("a"), put("b"), { put: "p:kernel.events:e", value: "1" }]);
      const full = { documents: 2, bytes: 12, systemBytes: 18 };
      const commit = (ops: Op[], quota: Partial<Quota>) => driver.commit("p", ops, [], { ...FREE, ...quota });
      const refused = { ok: false, conflict: "p:c:c", full };
      expect(await commit([put("c")], { documents: 2 })).toEqual(refused);
      expect(await commit([put("c")], { bytes: 17 })).toEqual(refused);
      expect(await commit([put("c"), { put: "p:kernel.events:f", value: "1" }], { systemBytes: 35 })).toEqual(
        refused,
      );
      const entry: Op = { put: "p:ix.c.new:@1~a", value: "1" };
      const entryRefused = { ...refused, conflict: entry.put };
      expect(await commit([entry], { bytes: 12 + 255 })).toEqual(entryRefused);
      expect(await driver.get("p:c:c")).toBeNull();
      expect(await driver.usage("p")).toEqual(full);
      // Beyond every limit already: what replaces, shrinks or frees goes on.
      const nothing = { documents: 0, bytes: 0, systemBytes: 0 };
      expect(await commit([put("a", "2")], nothing)).toMatchObject({ ok: true });
      expect(await commit([put("c"), { del: "p:c:a" }], nothing)).toMatchObject({ ok: true });
      expect(await commit([{ del: "p:c:b" }], nothing)).toMatchObject({ ok: true });
      expect(await commit([put("d")], { documents: 2, bytes: 12 })).toMatchObject({ ok: true });
      expect(await driver.usage("p")).toEqual({ documents: 2, bytes: 12, systemBytes: 18 });
      // A check that fails comes first.
      const check = { key: "p:c:d", version: 99 } as const;
      expect(await driver.commit("p", [put("e")], [check], { ...FREE, documents: 0 })).toEqual({
        ok: false,
        conflict: "p:c:d",
      });
    });

    it("counts the bytes of a file with the document that represents it", async () => {
      const { driver } = await start();
      const held = { put: "p:c.held:f1.1000", value: "1" } as const;
      const quota = { ...FREE, bytes: 1_020 };
      await driver.commit("p", [held, put("a")]);
      const full = { documents: 2, bytes: 1_023, systemBytes: 0 };
      expect(await driver.usage("p")).toEqual(full);
      await driver.commit("p", [
        { ...held, value: "22" },
        { put: "p:c.held:none", value: "1" },
      ]);
      expect(await driver.usage("p")).toEqual({ documents: 3, bytes: 1_038, systemBytes: 0 });
      expect((await driver.recount?.("p", false)) ?? false).toBe(false);
      await driver.commit("p", [{ del: held.put }, { del: "p:c.held:none" }]);
      expect(await driver.usage("p")).toEqual({ documents: 1, bytes: 6, systemBytes: 0 });
      expect(await driver.commit("p", [held], [], quota)).toMatchObject({ ok: false });
      expect(await driver.commit("p", [held], [], { ...quota, bytes: 1_023 })).toMatchObject({ ok: true });
    });

    it("lets no crowd of commits go beyond the quota", async () => {
      const { driver } = await start();
      const quota = { ...FREE, documents: 20, bytes: 7 * 15 };
      const results = await Promise.all(
        Array.from({ length: 64 }, (_, i) => driver.commit("p", [put(`${i + 10}`)], [], quota)),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(15);
      expect(await driver.usage("p")).toEqual({ documents: 15, bytes: 105, systemBytes: 0 });
    });

    it("counts what is loaded", async () => {
      const { driver } = await start();
      await driver.commit("p", [put("a")]);
      const docs = Array.from({ length: 300 }, (_, i): Doc => ({
        key: `p:${["c", "ix.c.new", "kernel.c"][i % 3] ?? "c"}:d${i}`,
        version: 1 + ((i * 7) % 90),
        value: JSON.stringify({ i, text: "ü€𝄞" }),
      }));
      await driver.load("p", docs.slice(0, 200));
      await driver.load("p", docs.slice(100));
      expect(await driver.usage("p")).toEqual(await counted(driver));
      expect((await driver.recount?.("p", false)) ?? false).toBe(false);
      const { bytes } = await driver.usage("p");
      expect(await driver.commit("p", [put("z")], [], { ...FREE, bytes: bytes + 5 })).toMatchObject({
        ok: false,
      });
      expect(await driver.commit("p", [put("z")], [], { ...FREE, bytes: bytes + 6 })).toMatchObject({
        ok: true,
      });
    });
  });
}
