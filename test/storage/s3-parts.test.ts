import { describe, expect, it } from "vitest";

import type { Check, Op } from "../../server/storage/contract.ts";
import { parseCommit } from "../../server/storage/keys.ts";
import { createCache } from "../../server/storage/s3/cache.ts";
import {
  RING,
  NO_HEAD,
  decodeHead,
  encodeHead,
  nextHead,
  wasWrittenBy,
} from "../../server/storage/s3/head.ts";
import type { Head } from "../../server/storage/s3/head.ts";
import { mapSome } from "../../server/lib/map-some.ts";
import { createQueue } from "../../server/storage/s3/limiter.ts";
import { decodeContent, encodeContent } from "../../server/storage/s3/objects.ts";
import { planBatch, takeBatch } from "../../server/storage/s3/plan.ts";
import { childText, parseXml } from "../../server/storage/s3/xml.ts";

describe("s3: XML", () => {
  it("reads elements, text and the five entities", () => {
    const root = parseXml(
      '\uFEFF<?xml version="1.0"?>\n<A xmlns="http://x/" b=\'1\'>\n <K>a&amp;b&lt;&gt;&quot;&apos;&#x20AC;&#8364;</K><E/><K>2</K></A>\n',
    );
    expect(root.name).toBe("A");
    expect(root.children.map(({ name, text }) => [name, text])).toEqual([
      ["K", "a&b<>\"'€€"],
      ["E", ""],
      ["K", "2"],
    ]);
    expect(childText(root, "K")).toBe("a&b<>\"'€€");
    expect(childText(root, "none")).toBe("");
  });

  it.each([
    ["nothing", ""],
    ["a page of a proxy", "<html><body><p>Bad gateway<br></body></html>"],
    ["text cut short", "<A><B>1</B>"],
    ["elements crossed", "<A><B></A></B>"],
    ["two roots", "<A/><B/>"],
    ["a document type", '<!DOCTYPE A [<!ENTITY x "y">]><A>&x;</A>'],
    ["an entity of its own", "<A>&x;</A>"],
    ["a bare ampersand", "<A>a & b</A>"],
    ["a character that is none", "<A>&#x110000;</A>"],
    ["CDATA", "<A><![CDATA[x]]></A>"],
    ["depth without end", "<A>".repeat(50) + "</A>".repeat(50)],
    ["an attribute without quotes", "<A b=1/>"],
  ])("refuses %s", (_, text) => {
    expect(() => parseXml(text)).toThrow(/not a response of an S3 server/);
  });

  it("refuses a megabyte of hostile text without walking it again and again", () => {
    // A pattern that steps back would be at it for minutes, and the test would time out.
    for (const text of [
      `<A ${"a='b' ".repeat(150_000)}>`,
      `<A>${"&#".repeat(500_000)}`,
      "<".repeat(1_000_000),
    ])
      expect(() => parseXml(text)).toThrow(/not a response of an S3 server/);
  });
});

describe("s3: objects and heads", () => {
  it("keep any value byte for byte beside its version, and tell tombstones by their size", () => {
    for (const value of ["", "1", "\uFEFF{}", '"\u0000ü€𝄞"', " "]) {
      const text = encodeContent({ version: 9_007_199_254_740_991, value });
      expect(decodeContent(Buffer.from(text).toString(), "k")).toEqual({
        version: 9_007_199_254_740_991,
        value,
      });
      expect(Buffer.byteLength(text)).toBeGreaterThan(16);
    }
    const tombstone = encodeContent({ version: 7, value: null });
    expect([tombstone, tombstone.length]).toEqual(["0000000000000007", 16]);
    expect(decodeContent(tombstone, "k")).toEqual({ version: 7, value: null });
    for (const text of ["", "7", "x".repeat(16), `${tombstone} `, `${tombstone}7`])
      expect(() => decodeContent(text, "k")).toThrow(/was not written by this service/);
  });

  it("remember who wrote the last heads", () => {
    let head: Head = NO_HEAD;
    for (let i = 1; i <= RING + 10; i++) head = nextHead(head, `w${i}`, { seq: i });
    expect(head).toMatchObject({ rev: RING + 10, seq: RING + 10, redo: [] });
    expect(wasWrittenBy(head, head.rev, `w${head.rev}`)).toBe(true);
    expect(wasWrittenBy(head, 11, "w11")).toBe(true);
    expect(wasWrittenBy(head, 11, "w12")).toBe(false);
    expect(wasWrittenBy(head, 10, "w10")).toBeNull();
  });

  it("survive being written and read, and refuse what they are not", () => {
    const redo = [
      { name: "c/a", version: 3, value: '"ü"' },
      { name: "c/b", version: 3, value: null },
    ];
    const head = nextHead(NO_HEAD, "w", { seq: 3, redo, fence: { names: ["c/x"], untilMs: 5 } });
    const read = decodeHead(encodeHead(head), "etag", "p");
    expect(read).toMatchObject({ ...head, etag: "etag" });
    expect(read.changes.get("c/b")).toEqual(redo[1]);
    for (const text of ["", "{}", "null", encodeHead(head).replace('"format":1', '"format":2')])
      expect(() => decodeHead(text, "etag", "p")).toThrow(/head of partition p is unreadable/);
  });
});

describe("s3: a batch of commits", () => {
  const commit = (ops: Op[], checks: Check[] = []) => parseCommit("p", ops, checks);
  it("is decided one by one, each on what those before it leave", () => {
    const plan = planBatch(
      [
        commit([{ put: "p:c:a", value: "1" }], [{ key: "p:c:a", version: 0 }]),
        commit([{ put: "p:c:a", value: "2" }], [{ key: "p:c:a", version: 0 }]),
        commit([], [{ key: "p:c:a", version: 8 }]),
        commit([{ del: "p:c:a" }, { put: "p:c:b", value: "3" }], [{ key: "p:c:a", version: 8 }]),
        commit(
          [{ put: "p:c:d", value: "4" }],
          [
            { key: "p:c:a", version: 0 },
            { key: "p:c:b", version: 9 },
          ],
        ),
      ],
      { seq: 7, usage: { documents: 1, bytes: 6, systemBytes: 0 } },
      (name) => (name === "c/b" ? { version: 5, bytes: 6 } : { version: 0, bytes: 0 }),
    );
    expect(plan.results).toEqual([
      { ok: true, version: 8 },
      { ok: false, conflict: "p:c:a" },
      { ok: true, version: 8 },
      { ok: true, version: 9 },
      { ok: true, version: 10 },
    ]);
    expect(plan.seq).toBe(10);
    expect(plan.usage).toEqual({ documents: 2, bytes: 12, systemBytes: 0 });
    expect(plan.redo).toEqual([
      { name: "c/a", version: 9, value: null },
      { name: "c/b", version: 9, value: "3" },
      { name: "c/d", version: 10, value: "4" },
    ]);
  });

  it("is as many as fit into one head, at least one", () => {
    const big = {
      commit: commit(
        Array.from({ length: 4 }, (_, i) => ({ put: `p:c:${i}`, value: `"${"x".repeat(250_000)}"` })),
      ),
    };
    const small = { commit: commit([{ put: "p:c:s", value: "1" }]) };
    const waiting = [big, big, small, small];
    expect(takeBatch(waiting)).toEqual([big]);
    expect(takeBatch(waiting)).toEqual([big, small, small]);
    expect(waiting).toEqual([]);
    const many = Array.from({ length: 500 }, () => small);
    expect(takeBatch(many)).toHaveLength(400);
  });
});

describe("s3: bounds", () => {
  it("keep the used and forget the unused", () => {
    const cache = createCache<string>(3000, (text) => text.length);
    for (let i = 0; i < 20; i++) {
      cache.set(`k${i}`, "x".repeat(100));
      expect(cache.get("k0")).toBeDefined();
      expect(cache.state.bytes).toBeLessThanOrEqual(3000);
    }
    expect(cache.get("k19")).toBeDefined();
    expect(cache.get("k1")).toBeUndefined();
    cache.set("k0", "x".repeat(5000));
    expect(cache.get("k0")).toBeUndefined();
  });

  it("go in order, and stop at the first failure", async () => {
    expect(await mapSome([1, 2, 3], async (n) => n * 2)).toEqual([2, 4, 6]);
    const started: number[] = [];
    const failing = mapSome(
      Array.from({ length: 100 }, (_, i) => i),
      async (n) => {
        started.push(n);
        await new Promise(setImmediate);
        if (n === 5) throw new Error("five");
      },
    );
    await expect(failing).rejects.toThrow("five");
    expect(started.length).toBeLessThan(50);
    const queue = createQueue();
    const order: number[] = [];
    const works = [3, 1, 2].map((n) => queue.run(async () => void order.push(n)));
    await expect(queue.run(() => Promise.reject(new Error("one")))).rejects.toThrow("one");
    await queue.idle();
    await Promise.all(works);
    expect([order, queue.busy]).toEqual([[3, 1, 2], false]);
  });
});
