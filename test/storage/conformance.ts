import { createStorage } from "unstorage";
import { afterEach, describe, expect, it } from "vitest";

import {
  COMMIT_BYTES_MAX,
  COMMIT_CHECKS_MAX,
  COMMIT_OPS_MAX,
  DOC_BYTES_MAX,
  PAGE_LIMIT_MAX,
  StoreError,
} from "../../server/storage/contract.ts";
import type { Check, Doc, Key, Op, PageOptions, StoreDriver } from "../../server/storage/contract.ts";
import { runSeed, snapshotOf } from "./model.ts";
import { usageConformance } from "./usage-conformance.ts";

export interface TestClock {
  now(): number;
  advance(ms: number): void;
}

export function createTestClock(startMs = 1_750_000_000_000): TestClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** A driver under test. `reopen` closes it and opens what it left; absent where nothing outlives the process. */
export interface Subject {
  readonly driver: StoreDriver;
  reopen?(): Promise<Subject>;
  dispose(): Promise<void>;
}

export interface ConformanceOptions {
  readonly name: string;
  readonly open: (clock: TestClock) => Promise<Subject>;
  readonly seeds?: number;
  /** False where the server under the driver removes windows that have ended, unseen. */
  readonly sweeps?: boolean;
}

const doc = (n: number | string): string => JSON.stringify({ n });
const version = (result: Awaited<ReturnType<StoreDriver["commit"]>>): number => {
  if (!result.ok) throw new Error(`unexpected conflict on ${result.conflict}`);
  return result.version;
};

/** What every driver must answer, whatever lies beneath it. A driver without this suite does not exist. */
export function conformance({ name, open, seeds = 200, sweeps = true }: ConformanceOptions): void {
  const subjects: Subject[] = [];
  afterEach(async () => {
    for (const subject of subjects.splice(0)) await subject.dispose();
  });
  const start = async (clock = createTestClock()): Promise<{ driver: StoreDriver; clock: TestClock }> => {
    const subject = await open(clock);
    subjects.push(subject);
    return { driver: subject.driver, clock };
  };

  describe(`${name}: documents`, () => {
    it("reads back what was committed, byte for byte, with the commit's version", async () => {
      const { driver } = await start();
      const texts = [
        "123",
        "true",
        '"null"',
        "9007199254740993",
        '{"__proto__":{"a":1}}',
        '{"a": "ü€𝄞\\u0000"}',
        " [ ] ",
      ];
      for (const [i, value] of texts.entries()) {
        expect(await driver.commit("p", [{ put: `p:c:d${i}`, value }])).toEqual({ ok: true, version: i + 1 });
      }
      for (const [i, value] of texts.entries()) {
        expect(await driver.get(`p:c:d${i}`)).toEqual({ key: `p:c:d${i}`, version: i + 1, value });
      }
      expect(await driver.get("p:c:none")).toBeNull();
      expect(await driver.getMany(["p:c:d1", "p:c:none", "p:c:d0"])).toEqual([
        { key: "p:c:d1", version: 2, value: "true" },
        null,
        { key: "p:c:d0", version: 1, value: "123" },
      ]);
    });

    it("gives one version to all writes of a commit and counts each partition by itself", async () => {
      const { driver } = await start();
      expect(
        version(
          await driver.commit("a", [
            { put: "a:c:1", value: "1" },
            { put: "a:d:1", value: "2" },
          ]),
        ),
      ).toBe(1);
      expect(version(await driver.commit("b", [{ put: "b:c:1", value: "1" }]))).toBe(1);
      expect(version(await driver.commit("a", [{ del: "a:c:1" }]))).toBe(2);
      expect(version(await driver.commit("a", [{ del: "a:c:never" }]))).toBe(3);
      expect(version(await driver.commit("a", []))).toBe(3);
      expect((await driver.get("a:d:1"))?.version).toBe(1);
    });

    it("writes nothing when a check fails, and names the key", async () => {
      const { driver } = await start();
      await driver.commit("p", [{ put: "p:c:1", value: "1" }]);
      const ops: Op[] = [{ put: "p:c:2", value: "2" }, { del: "p:c:1" }];
      const lost: Check[][] = [
        [{ key: "p:c:1", version: 0 }],
        [{ key: "p:c:1", version: 2 }],
        [
          { key: "p:c:1", version: 1 },
          { key: "p:c:9", version: 1 },
        ],
      ];
      for (const checks of lost) {
        expect(await driver.commit("p", ops, checks)).toEqual({ ok: false, conflict: checks.at(-1)?.key });
        expect(await driver.commit("p", [], checks)).toEqual({ ok: false, conflict: checks.at(-1)?.key });
      }
      expect(await driver.getMany(["p:c:1", "p:c:2"])).toEqual([
        { key: "p:c:1", version: 1, value: "1" },
        null,
      ]);
      const won = [
        { key: "p:c:1", version: 1 },
        { key: "p:c:9", version: 0 },
      ] satisfies Check[];
      expect(await driver.commit("p", ops, won)).toEqual({ ok: true, version: 2 });
      expect(await driver.getMany(["p:c:1", "p:c:2"])).toEqual([
        null,
        { key: "p:c:2", version: 2, value: "2" },
      ]);
    });

    it("lets exactly one of many racing commits win", async () => {
      const { driver } = await start();
      const race = (check: Check) =>
        Promise.all(
          Array.from({ length: 64 }, (_, i) =>
            driver.commit("p", [{ put: "p:c:one", value: doc(i) }], [check]),
          ),
        );
      const created = await race({ key: "p:c:one", version: 0 });
      expect(created.filter(({ ok }) => ok)).toHaveLength(1);
      const updated = await race({ key: "p:c:one", version: 1 });
      expect(updated.filter(({ ok }) => ok)).toHaveLength(1);
      expect((await driver.get("p:c:one"))?.version).toBe(2);
    });

    it("loses no increment of a read-check-write loop", async () => {
      const { driver } = await start();
      const increment = async (): Promise<void> => {
        for (;;) {
          const before = await driver.get("p:c:n");
          const put = { put: "p:c:n", value: String(Number(before?.value ?? 0) + 1) } as const;
          const { ok } = await driver.commit("p", [put], [{ key: "p:c:n", version: before?.version ?? 0 }]);
          if (ok) return;
        }
      };
      await Promise.all(Array.from({ length: 32 }, increment));
      expect((await driver.get("p:c:n"))?.value).toBe("32");
    });
  });

  describe(`${name}: pages`, () => {
    it("lists ids in ascending bytes, pages without gap or overlap", async () => {
      const { driver } = await start();
      const ids = ["-", "0", "9", "A", "Z", "_", "a", "a-", "a.b", "a@", "aa", "z", "z~", "~"];
      for (const id of ids.toReversed()) await driver.commit("p", [{ put: `p:c:${id}`, value: doc(id) }]);
      await driver.commit("p", [{ put: "p:c2:x", value: "1" }]);
      await driver.commit("p2", [{ put: "p2:c:x", value: "1" }]);
      for (let limit = 1; limit <= ids.length + 1; limit++) {
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await driver.page("p", "c", { limit, ...(after === undefined ? {} : { after }) });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          expect(page.next).toBe(page.next === undefined ? undefined : page.items.at(-1)?.key.slice(4));
          seen.push(...page.items.map(({ key }) => key.slice(4)));
          after = page.next;
        } while (after !== undefined);
        expect(seen).toEqual(ids);
      }
      expect(await driver.page("p", "none", { limit: 1 })).toEqual({ items: [] });
      expect(await driver.page("none", "c", { limit: 1 })).toEqual({ items: [] });
    });

    it("keeps to a prefix, also when it continues after an id outside of it", async () => {
      const { driver } = await start();
      for (const id of ["a", "b", "b1", "b2", "b3", "c"])
        await driver.commit("p", [{ put: `p:c:${id}`, value: "1" }]);
      const ids = async (options: Partial<PageOptions>) => {
        const page = await driver.page("p", "c", { limit: 2, ...options });
        return [...page.items.map(({ key }) => key.slice(4)), page.next ?? "end"];
      };
      expect(await ids({ prefix: "b" })).toEqual(["b", "b1", "b1"]);
      expect(await ids({ prefix: "b", after: "b1" })).toEqual(["b2", "b3", "end"]);
      expect(await ids({ prefix: "b", after: "a" })).toEqual(["b", "b1", "b1"]);
      expect(await ids({ prefix: "b", after: "c" })).toEqual(["end"]);
      expect(await ids({ prefix: "x" })).toEqual(["end"]);
    });

    it("may end a page early that is to have few bytes, and leaves nothing out", async () => {
      const { driver } = await start();
      const ids = Array.from({ length: 12 }, (_, i) => `d${String(i).padStart(2, "0")}`);
      for (const id of ids) await driver.commit("p", [{ put: `p:c:${id}`, value: doc("x".repeat(1000)) }]);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const options = { limit: 10, bytes: 2500, ...(after === undefined ? {} : { after }) };
        const { items, next } = await driver.page("p", "c", options);
        expect(items.length).toBeGreaterThan(0);
        seen.push(...items.map(({ key }) => key.slice(4)));
        if (next !== undefined) expect(next).toBe(seen.at(-1));
        after = next;
      } while (after !== undefined);
      expect(seen).toEqual(ids);
    });

    it("follows index entries to their documents, in the order of the entries", async () => {
      const { driver } = await start();
      const ops: Op[] = ["d1", "d2", "d3"].flatMap((id, i) => [
        { put: `p:c:${id}` as Key, value: doc(id) },
        { put: `p:ix.c.new:@${9 - i}~${id}` as Key, value: "1" },
      ]);
      await driver.commit("p", [
        ...ops,
        { put: "p:ix.c.new:@5~gone", value: "1" },
        { put: "p:ix.c.new:x@1~d1", value: "1" },
      ]);
      const first = await driver.page("p", "ix.c.new", { prefix: "@", of: "c", limit: 3 });
      expect(first.items.map(({ key }) => key)).toEqual(["p:c:d3", "p:c:d2"]);
      expect(first.next).toBe("@8~d2");
      const rest = await driver.page("p", "ix.c.new", { prefix: "@", of: "c", limit: 3, after: "@8~d2" });
      expect(rest).toEqual({ items: [{ key: "p:c:d1", version: 1, value: doc("d1") }] });
    });

    it("lists partitions and collections that hold a document", async () => {
      const { driver } = await start();
      await driver.commit("b", [
        { put: "b:z:1", value: "1" },
        { put: "b:a:1", value: "1" },
        { put: "b:a:2", value: "1" },
      ]);
      await driver.commit("a", [{ put: "a:x:1", value: "1" }]);
      expect(await driver.partitions()).toEqual(["a", "b"]);
      expect(await driver.collections("b")).toEqual([
        { name: "a", count: 2 },
        { name: "z", count: 1 },
      ]);
      await driver.commit("a", [{ del: "a:x:1" }]);
      expect(await driver.partitions()).toEqual(["b"]);
      expect(await driver.collections("a")).toEqual([]);
    });
  });

  describe(`${name}: grammar and limits`, () => {
    const refused = async (work: () => Promise<unknown>): Promise<void> => {
      await expect(work()).rejects.toSatisfy(
        (error) => error instanceof StoreError && error.code === "INVALID",
      );
    };

    it("refuses what is no key, in every call", async () => {
      const { driver } = await start();
      const bad = [
        "",
        "p",
        "p:c",
        "p:c:",
        ":c:x",
        "p::x",
        "P:c:x",
        "p:C:x",
        "p:c:.",
        "p:c:..",
        "p:c:a b",
        "p:c:ä",
      ];
      const long = [
        `${"p".repeat(41)}:c:x`,
        `p:${"c".repeat(61)}:x`,
        `p:c:${"x".repeat(129)}`,
        "p:c:a/b",
        "p:c:a\nb",
        "p:c:a:b",
        "p:c:x\u0000",
      ];
      for (const key of [...bad, ...long] as Key[]) {
        await refused(() => driver.get(key));
        await refused(() => driver.getMany(["p:c:x", key]));
        await refused(() => driver.commit("p", [{ put: key, value: "1" }]));
        await refused(() => driver.commit("p", [{ del: key }]));
        await refused(() => driver.commit("p", [], [{ key, version: 0 }]));
      }
      const whole: Key = `${"p".repeat(40)}:${"c".repeat(60)}:${"x".repeat(128)}`;
      expect(version(await driver.commit("p".repeat(40), [{ put: whole, value: "1" }]))).toBe(1);
      expect((await driver.get(whole))?.value).toBe("1");
    });

    it("refuses a commit beyond its limits, and writes nothing of it", async () => {
      const { driver } = await start();
      const puts = (count: number, value = "1"): Op[] =>
        Array.from({ length: count }, (_, i) => ({ put: `p:c:k${i}` as Key, value }));
      await refused(() => driver.commit("p", puts(COMMIT_OPS_MAX + 1)));
      await refused(() => driver.commit("p", puts(1, `"${"x".repeat(DOC_BYTES_MAX - 1)}"`)));
      await refused(() => driver.commit("p", puts(1, `"${"ü".repeat(DOC_BYTES_MAX / 2)}"`)));
      await refused(() => driver.commit("p", puts(5, `"${"x".repeat(COMMIT_BYTES_MAX / 5)}"`)));
      await refused(() => driver.commit("p", [...puts(1), ...puts(1)]));
      await refused(() => driver.commit("p", [{ put: "p:c:k0", value: "1" }, { del: "p:c:k0" }]));
      await refused(() => driver.commit("p", [{ put: "q:c:k0", value: "1" }]));
      await refused(() => driver.commit("p", [], [{ key: "q:c:k0", version: 0 }]));
      await refused(() => driver.commit("p", puts(1), [{ key: "p:c:k0", version: -1 }]));
      await refused(() => driver.commit("p", puts(1), [{ key: "p:c:k0", version: 0.5 }]));
      const check: Check = { key: "p:c:k0", version: 0 };
      await refused(() =>
        driver.commit(
          "p",
          [],
          Array.from({ length: COMMIT_CHECKS_MAX + 1 }, () => check),
        ),
      );
      await refused(() => driver.commit("p", puts(1, "1\n2")));
      await refused(() => driver.commit("p", puts(1, '"\ud800"')));
      expect(await driver.collections("p")).toEqual([]);
      const most = puts(COMMIT_OPS_MAX, `"${"x".repeat(5000)}"`);
      expect(version(await driver.commit("p", most))).toBe(1);
      expect(version(await driver.commit("p", puts(1, `"${"x".repeat(DOC_BYTES_MAX - 2)}"`)))).toBe(2);
      expect((await driver.get("p:c:k0"))?.value).toHaveLength(DOC_BYTES_MAX);
    });

    it("refuses a page beyond its limits", async () => {
      const { driver } = await start();
      for (const limit of [0, -1, 1.5, NaN, PAGE_LIMIT_MAX + 1])
        await refused(() => driver.page("p", "c", { limit }));
      await refused(() => driver.page("P", "c", { limit: 1 }));
      await refused(() => driver.page("p", "c d", { limit: 1 }));
      await refused(() => driver.page("p", "c", { limit: 1, of: "C" }));
      await refused(() => driver.page("p", "c", { limit: 1, after: "ä" }));
      await refused(() => driver.page("p", "c", { limit: 1, prefix: "a:b" }));
    });
  });

  describe(`${name}: counters`, () => {
    it("allows exactly the limit in a window anchored at the first use", async () => {
      const { driver, clock } = await start();
      const startMs = clock.now();
      const taken = await Promise.all(Array.from({ length: 100 }, () => driver.take("k", 60, 60_000)));
      expect(taken.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)).toEqual(
        Array.from({ length: 60 }, (_, i) => 59 - i),
      );
      expect(new Set(taken.map(({ resetAtMs }) => resetAtMs))).toEqual(new Set([startMs + 60_000]));
      clock.advance(59_999);
      expect((await driver.take("k", 60, 60_000)).allowed).toBe(false);
      expect(await driver.peek("k")).toEqual({ count: 60, resetAtMs: startMs + 60_000 });
      clock.advance(1);
      expect(await driver.peek("k")).toBeNull();
      expect(await driver.take("k", 60, 60_000)).toEqual({
        allowed: true,
        limit: 60,
        remaining: 59,
        resetAtMs: startMs + 120_000,
      });
    });

    it("takes an amount whole or not at all, and charges what was used without a limit", async () => {
      const { driver } = await start();
      expect(await driver.take("k", 10, 1000, 7)).toMatchObject({ allowed: true, remaining: 3 });
      expect(await driver.take("k", 10, 1000, 4)).toMatchObject({ allowed: false, remaining: 3 });
      expect(await driver.take("k", 10, 1000, 3)).toMatchObject({ allowed: true, remaining: 0 });
      expect((await driver.take("k", Infinity, 1000, 90)).allowed).toBe(true);
      expect((await driver.peek("k"))?.count).toBe(100);
      expect(await driver.take("k", 10, 1000)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it("gives back a negative amount, never more than was taken", async () => {
      const { driver, clock } = await start();
      await driver.take("k", 10, 1000, 9);
      expect((await driver.take("k", Infinity, 1000, -5)).allowed).toBe(true);
      expect(await driver.take("k", 10, 1000, 6)).toMatchObject({ allowed: true, remaining: 0 });
      expect((await driver.take("k", Infinity, 1000, -90)).allowed).toBe(true);
      // A window in which nothing is counted is no window.
      expect(await driver.peek("k")).toBeNull();
      // What was taken in a window that has ended is not given back to the next one.
      clock.advance(2000);
      await driver.take("k", Infinity, 1000, -5);
      expect(await driver.take("k", 10, 1000, 10)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await driver.take("k", 10, 1000)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it("forgets a window on request, keeps counters apart and follows a changed limit", async () => {
      const { driver } = await start();
      expect((await driver.take("a", 1, 1000)).allowed).toBe(true);
      expect((await driver.take("a", 1, 1000)).allowed).toBe(false);
      expect((await driver.take("b", 1, 1000)).allowed).toBe(true);
      expect(await driver.take("a", 3, 1000)).toMatchObject({ allowed: true, limit: 3, remaining: 1 });
      expect(await driver.take("a", 1, 1000)).toMatchObject({ allowed: false, limit: 1, remaining: 0 });
      await driver.resetCounter("a");
      expect(await driver.peek("a")).toBeNull();
      expect((await driver.take("a", 1, 1000)).allowed).toBe(true);
      await expect(driver.take("a", 1, 0)).rejects.toMatchObject({ code: "INVALID" });
    });

    it("takes only while documents are as given, where it can do both at once", async () => {
      const { driver } = await start();
      const { takeIf } = driver;
      if (takeIf === undefined) return;
      await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
      await driver.commit("q", [{ put: "q:d:b", value: "1" }]);
      const checks: Check[] = [
        { key: "p:c:a", version: 1 },
        { key: "p:c:none", version: 0 },
        { key: "q:d:b", version: 1 },
      ];
      expect(await takeIf(checks, "k", 2, 1000)).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
      await driver.commit("q", [{ put: "q:d:b", value: "2" }]);
      expect(await takeIf(checks, "k", 2, 1000)).toBeNull();
      expect(await takeIf([{ key: "p:c:a", version: 0 }], "k", 2, 1000)).toBeNull();
      expect(await takeIf([{ key: "p:c:none", version: 1 }], "k", 2, 1000)).toBeNull();
      expect(await driver.peek("k")).toMatchObject({ count: 1 });
      expect(await takeIf(checks.slice(0, 2), "k", 2, 1000)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await takeIf([], "k", 2, 1000)).toMatchObject({ allowed: false, remaining: 0 });
      expect((await driver.peek("k"))?.count).toBe(2);
      await expect(takeIf([], "k", 2, 0)).rejects.toMatchObject({ code: "INVALID" });
    });

    it("never keeps a caller out for longer than a window when the clock is set back", async () => {
      const { driver, clock } = await start();
      await driver.take("k", 1, 60_000);
      clock.advance(-3_600_000);
      const result = await driver.take("k", 1, 60_000);
      expect(result.allowed).toBe(true);
      expect(result.resetAtMs - clock.now()).toBeLessThanOrEqual(60_000);
    });

    it.runIf(sweeps)("sweeps windows that have ended", async () => {
      const { driver, clock } = await start();
      for (let i = 0; i < 20_000; i++) {
        await driver.take(`c${i}`, 1, 1000);
        clock.advance(1);
      }
      expect((await driver.stats())["counters"]).toBeLessThan(3000);
    });
  });

  describe(`${name}: the unstorage face`, () => {
    it("serves the same documents to createStorage, and refuses to clear everything", async () => {
      const { driver } = await start();
      const storage = createStorage({ driver });
      await storage.setItem("p:c:a", { n: 1 });
      await driver.commit("p", [
        { put: "p:c:b", value: doc(2) },
        { put: "p:d:a", value: doc(3) },
      ]);
      await driver.commit("q", [{ put: "q:c:a", value: doc(4) }]);
      expect(await storage.getItem("p:c:a")).toEqual({ n: 1 });
      expect(await storage.hasItem("p:c:none")).toBe(false);
      expect((await driver.get("p:c:a"))?.value).toBe('{"n":1}');
      expect(await storage.getKeys()).toEqual(["p:c:a", "p:c:b", "p:d:a", "q:c:a"]);
      expect(await storage.getKeys("p:c")).toEqual(["p:c:a", "p:c:b"]);
      await storage.removeItem("p:c:a");
      expect(await driver.get("p:c:a")).toBeNull();
      await expect(storage.clear()).rejects.toMatchObject({ code: "INVALID" });
      // createStorage would skip a driver that is mounted above the base, so the driver itself is asked.
      await driver.clear?.("p:", {});
      expect(await storage.getKeys()).toEqual(["q:c:a"]);
      await expect(storage.getItem("no-key")).rejects.toMatchObject({ code: "INVALID" });
    });
  });

  describe(`${name}: whole partitions`, () => {
    it("gives the state that one commit left, while commits go on", async () => {
      const { driver } = await start();
      const filler = Array.from({ length: 1200 }, (_, i): Op => ({ put: `p:f:f${i}`, value: doc(i) }));
      for (let i = 0; i < filler.length; i += COMMIT_OPS_MAX)
        await driver.commit("p", filler.slice(i, i + COMMIT_OPS_MAX));
      await driver.commit("q", [{ put: "q:c:other", value: "1" }]);
      const base = await snapshotOf(driver, "p");
      expect(base).toHaveLength(1200);
      const first = version(await driver.commit("p", []));

      const writing = { rounds: 0, done: false };
      const writer = (async () => {
        while (writing.rounds < 60) {
          writing.rounds++;
          expect(version(await driver.commit("p", round(writing.rounds)))).toBe(first + writing.rounds);
        }
        writing.done = true;
      })();
      let taken = 0;
      while (!writing.done) {
        // A copy that comes from memory alone would never let the writer reach its disk.
        await new Promise((resolve) => setImmediate(resolve));
        const before = writing.rounds - 1;
        const docs = await snapshotOf(driver, "p").catch(unlessUnavailable);
        if (docs === null) continue;
        taken++;
        const reached = Math.max(...docs.map((one) => one.version)) - first;
        expect(reached).toBeGreaterThanOrEqual(Math.max(0, before));
        expect(docs).toEqual([...base, ...afterRounds(first, reached)].sort(byKey));
      }
      await writer;
      expect(await snapshotOf(driver, "p")).toEqual([...base, ...afterRounds(first, 60)].sort(byKey));
      expect(await snapshotOf(driver, "q")).toEqual([{ key: "q:c:other", version: 1, value: "1" }]);
      expect(await snapshotOf(driver, "none")).toEqual([]);
      // Only S3 keeps no earlier state of a document, so only there may writers that never pause keep a copy from ending.
      if (driver.name !== "s3") expect(taken).toBeGreaterThan(0);
    });

    it("takes documents at their versions, and every later commit is higher than all of them", async () => {
      const { driver } = await start();
      const docs = Array.from({ length: 450 }, (_, i): Doc => ({
        key: `p:${i % 3 === 0 ? "ix.c.new" : "c"}:d${String(i).padStart(3, "0")}`,
        version: 1 + ((i * 7) % 900),
        value: JSON.stringify({ i, text: "ü€𝄞" }),
      })).sort(byKey);
      await driver.load("p", docs.slice(200));
      await driver.load("p", docs.slice(0, 250));
      await driver.load("p", docs);
      expect(await snapshotOf(driver, "p")).toEqual(docs);
      expect(await driver.partitions()).toEqual(["p"]);
      expect(await driver.collections("p")).toEqual([
        { name: "c", count: 300 },
        { name: "ix.c.new", count: 150 },
      ]);
      const page = await driver.page("p", "c", { limit: 2 });
      expect(page.items).toEqual(docs.filter(({ key }) => key.startsWith("p:c:")).slice(0, 2));
      const top = Math.max(...docs.map((one) => one.version));
      const target = docs[0]?.key ?? "p:c:none";
      const check = { key: target, version: docs[0]?.version ?? 0 };
      expect(version(await driver.commit("p", [{ put: target, value: "1" }], [check]))).toBe(top + 1);
      await driver.load("p", []);
      expect(version(await driver.commit("p", []))).toBe(top + 1);
    });

    it("takes a document that was removed here by a later commit, and keeps it", async () => {
      const clock = createTestClock();
      const subject = await open(clock);
      for (const value of ["1", "2", "3"]) await subject.driver.commit("p", [{ put: "p:c:a", value }]);
      await subject.driver.commit("p", [{ put: "p:c:b", value: "4" }, { del: "p:c:a" }]);
      await subject.driver.load("p", [{ key: "p:c:a", version: 2, value: '"loaded"' }]);
      const again = (await subject.reopen?.()) ?? subject;
      subjects.push(again);
      expect(await again.driver.get("p:c:a")).toEqual({ key: "p:c:a", version: 2, value: '"loaded"' });
      expect(await again.driver.get("p:c:b")).toEqual({ key: "p:c:b", version: 4, value: "4" });
      expect(version(await again.driver.commit("p", [{ del: "p:c:a" }]))).toBe(5);
      expect(await again.driver.get("p:c:a")).toBeNull();
    });

    it("refuses to load what no commit could have written, and takes nothing of it", async () => {
      const { driver } = await start();
      const good: Doc = { key: "p:c:good", version: 1, value: "1" };
      const bad: Doc[] = [
        { key: "q:c:a", version: 1, value: "1" },
        { key: "p:c:a", version: 0, value: "1" },
        { key: "p:c:a", version: 1.5, value: "1" },
        { key: "p:c:a b", version: 1, value: "1" },
        { key: "p:c:a", version: 1, value: "1\n2" },
        { key: "p:c:a", version: 1, value: '"\ud800"' },
        { key: "p:c:a", version: 1, value: `"${"x".repeat(DOC_BYTES_MAX)}"` },
      ];
      for (const one of bad)
        await expect(driver.load("p", [good, one])).rejects.toMatchObject({ code: "INVALID" });
      expect(await driver.partitions()).toEqual([]);
      await expect(snapshotOf(driver, "P")).rejects.toMatchObject({ code: "INVALID" });
    });
  });

  usageConformance(name, start);

  describe(`${name}: life`, () => {
    it("answers ping while open, and refuses every call once closed", async () => {
      const { driver } = await start();
      await driver.ping();
      await driver.close();
      await driver.close();
      const calls: (() => Promise<unknown>)[] = [
        () => driver.get("p:c:a"),
        () => driver.page("p", "c", { limit: 1 }),
        () => driver.commit("p", [{ put: "p:c:a", value: "1" }]),
        () => driver.usage("p"),
        () => driver.take("k", 1, 1000),
        () => driver.ping(),
        () => snapshotOf(driver, "p"),
        () => driver.load("p", [{ key: "p:c:a", version: 1, value: "1" }]),
      ];
      for (const call of calls)
        await expect(call()).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: false });
    });
  });

  describe(`${name}: 512 random operations against a Map, ${seeds} seeds`, () => {
    const AT_ONCE = 20;
    for (let from = 1; from <= seeds; from += AT_ONCE) {
      it(`seeds ${from} to ${Math.min(seeds, from + AT_ONCE - 1)}`, { timeout: 120_000 }, async () => {
        for (let seed = from; seed < from + AT_ONCE && seed <= seeds; seed++) {
          await runSeed(seed, await open(createTestClock())).catch((error: unknown) => {
            throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
          });
        }
      });
    }
  });
}

/** A commit that leaves three documents with one number, adds one and removes the one of five rounds before. */
function round(k: number): Op[] {
  const put = (["p:c:x", "p:c:y", "p:ix.c.new:z"] as const).map((key): Op => ({ put: key, value: doc(k) }));
  return [...put, { put: `p:t:t${k}`, value: doc(k) }, ...(k > 5 ? [{ del: `p:t:t${k - 5}` as Key }] : [])];
}

/** What these rounds leave, when round k was commit `first + k`. */
function afterRounds(first: number, k: number): Doc[] {
  if (k === 0) return [];
  const own = (["p:c:x", "p:c:y", "p:ix.c.new:z"] as const).map((key): Doc => ({
    key,
    version: first + k,
    value: doc(k),
  }));
  const kept = Array.from({ length: Math.min(5, k) }, (_, i): Doc => ({
    key: `p:t:t${k - i}`,
    version: first + k - i,
    value: doc(k - i),
  }));
  return [...own, ...kept];
}

const byKey = (a: Doc, b: Doc): number => (a.key < b.key ? -1 : 1);

/** A store may say that it cannot hold a moment while others write; it must not give a mixture. */
function unlessUnavailable(error: unknown): null {
  if (error instanceof StoreError && error.code === "UNAVAILABLE") return null;
  throw error;
}
