import { afterEach, describe, expect, it } from "vitest";

import type { StoreDriver } from "../../server/storage/contract.ts";
import { startS3Double } from "../support/s3-double.ts";
import type { DoubleOptions, Fault, S3Double, SeenRequest } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";
import type { TestBucket } from "../support/s3-node.ts";

const FIFTEEN_MINUTES_MS = 900_000;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(options: DoubleOptions = {}): Promise<S3Double> {
  const double = await startS3Double(options);
  cleanups.push(() => double.close());
  return double;
}
async function node(bucket: TestBucket, options: Parameters<typeof openNode>[1] = {}) {
  const driver = await openNode(bucket, { timeoutMs: 200, ...options });
  cleanups.push(() => driver.close());
  return driver;
}

const isHead = ({ key, method }: SeenRequest): boolean => key.includes("heads/") && method === "PUT";
const isDoc = ({ key, method }: SeenRequest): boolean => key.includes("docs/") && method === "PUT";
/** A fault for the first so many requests of a kind. */
function first(count: number, isMeant: (request: SeenRequest) => boolean, fault: Fault) {
  let left = count;
  return (request: SeenRequest): Fault | null => (isMeant(request) && left-- > 0 ? fault : null);
}
const put = (driver: StoreDriver, id: string, value: string) =>
  driver.commit("p", [{ put: `p:c:${id}`, value }]);
const lost: Fault = { kind: "drop", effect: true };
const hang = (effect: boolean): Fault => ({ kind: "hang", effect });

describe("s3: what is wrong at the start is told, with what to do", () => {
  const refusal = async (bucket: TestBucket, options: Parameters<typeof openNode>[1] = {}) =>
    openNode(bucket, { timeoutMs: 200, ...options }).then(
      async (driver) => {
        await driver.close();
        return "opened";
      },
      (error: { code: string; message: string }) => `${error.code} ${error.message}`,
    );

  it("a missing bucket, wrong credentials, a wrong region, a wrong clock, nobody there", async () => {
    const double = await start();
    const { signer } = double;
    expect(await refusal({ ...double, bucket: "none" })).toMatch(
      /^INVALID .*the bucket does not exist\. Create it/,
    );
    expect(await refusal({ ...double, signer: { ...signer, secretAccessKey: "x" } })).toMatch(
      /^INVALID .*invalid access key id or secret access key.*SignatureDoesNotMatch/,
    );
    expect(await refusal({ ...double, signer: { ...signer, accessKeyId: "x" } })).toMatch(
      /^INVALID .*invalid access key id or secret access key.*InvalidAccessKeyId/,
    );
    expect(await refusal({ ...double, signer: { ...signer, region: "eu-1" } })).toMatch(
      /^INVALID .*region is wrong.*expects region us-east-1/,
    );
    const late = { now: () => Date.now() + FIFTEEN_MINUTES_MS + 60_000 };
    expect(await refusal(double, { wallClock: late })).toMatch(
      /^INVALID .*Synchronise the clock.*server time \d{4}-/,
    );
    expect(await refusal({ ...double, endpoint: "http://127.0.0.1:9" })).toMatch(
      /^UNAVAILABLE .*ECONNREFUSED/,
    );
  });

  it.each([
    ["create-only", /overwrites existing/],
    ["if-match", /ignores If-Match/],
    ["list-order", /not in byte order/],
    ["start-after", /does not support start-after/],
    ["read-after-write", /does not return/],
  ] as const)("a server that breaks %s", async (breaks, message) => {
    const told = await refusal(await start({ breaks }));
    expect(told).toMatch(/^INVALID this S3 server /);
    expect(told).toMatch(message);
  });

  it("names that an address would not carry as they are", async () => {
    const double = await start();
    for (const prefix of ["../other", "a/../b", "a//b", "a b", "ä", "x".repeat(513)])
      expect(await refusal(double, { prefix })).toMatch(/^INVALID invalid prefix/);
    expect(await refusal({ ...double, bucket: ".." })).toMatch(/^INVALID invalid bucket name/);
    expect(await refusal({ ...double, endpoint: "127.0.0.1:9000" })).toMatch(/^INVALID invalid endpoint/);
    expect(await refusal({ ...double, endpoint: `${double.endpoint}/` }, { prefix: "/a/b/" })).toBe("opened");
    expect(double.contents.keys).toEqual(["a/b/format.json"]);
  });

  it("a server that is none, and a store of a newer format", async () => {
    const double = await start();
    double.fault = ({ key }) =>
      key === "format.json" ? { kind: "status", status: 301, code: "", effect: false } : null;
    expect(await refusal(double)).toMatch(/^INVALID .*another endpoint/);
    double.fault = () => null;
    double.contents.put("format.json", Buffer.from('{"format":2}'), 0);
    expect(await refusal(double)).toMatch(/^INVALID .*format 2, but this version reads format 1 only/);
  });

  it("but not a server that takes ETags without quotes only, nor one that loses an answer", async () => {
    const ceph = await node(await start({ etags: "unquoted" }));
    expect(await put(ceph, "a", "1")).toEqual({ ok: true, version: 1 });
    expect(await put(ceph, "a", "2")).toEqual({ ok: true, version: 2 });
    expect((await ceph.get("p:c:a"))?.value).toBe("2");
    const double = await start();
    double.fault = first(1, ({ method }) => method === "PUT", lost);
    expect(await put(await node(double), "a", "1")).toEqual({ ok: true, version: 1 });
  });

  it("leaves nothing of its probes behind", async () => {
    const double = await start();
    await node(double);
    expect(double.contents.keys).toEqual(["format.json"]);
  });
});

describe("s3: a commit happens once or not at all", () => {
  it("when the answer to its head is lost, by a broken connection, a time-out or a 500", async () => {
    const double = await start();
    const driver = await node(double);
    const faults: Fault[] = [
      lost,
      hang(true),
      { kind: "status", status: 500, code: "InternalError", effect: true },
    ];
    for (const [i, fault] of faults.entries()) {
      double.fault = first(1, isHead, fault);
      expect(await put(driver, "a", String(i))).toEqual({ ok: true, version: i + 1 });
      expect(await driver.get("p:c:a")).toEqual({ key: "p:c:a", version: i + 1, value: String(i) });
    }
    double.fault = first(3, (request) => isHead(request) || isDoc(request), lost);
    expect(await put(driver, "b", "1")).toEqual({ ok: true, version: 4 });
  });

  it("when its head is refused for a moment, or never arrives at first", async () => {
    const double = await start();
    const driver = await node(double);
    const faults: Fault[] = [
      { kind: "status", status: 503, code: "SlowDown", effect: false },
      { kind: "status", status: 409, code: "ConditionalRequestConflict", effect: false },
      { kind: "drop", effect: false },
    ];
    for (const [i, fault] of faults.entries()) {
      double.fault = first(2, isHead, fault);
      expect(await put(driver, "a", String(i))).toEqual({ ok: true, version: i + 1 });
    }
  });

  it("when the answer is lost and another node commits before it is looked for", async () => {
    const double = await start();
    const [one, other] = [await node(double), await node(double)];
    await put(one, "a", "0");
    let between: Promise<unknown> | undefined;
    double.fault = (request) => {
      if (!isHead(request) || between !== undefined) return null;
      // The other one commits at once, on the head whose writer is not told of it.
      between = Promise.resolve().then(() => put(other, "b", "2"));
      return lost;
    };
    expect(await put(one, "a", "1")).toEqual({ ok: true, version: 2 });
    expect(await between).toEqual({ ok: true, version: 3 });
    for (const driver of [one, other]) {
      expect(await driver.getMany(["p:c:a", "p:c:b"])).toMatchObject([{ version: 2 }, { version: 3 }]);
    }
  });

  it("and says UNKNOWN_OUTCOME when it can't find out, UNAVAILABLE when it surely did not", async () => {
    const double = await start();
    const hasty = await node(double, { timeoutMs: 50 });
    await put(hasty, "a", "0");
    double.fault = ({ key }) => (key.includes("heads/") ? hang(false) : null);
    await expect(put(hasty, "a", "1")).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME", retryable: true });
    double.fault = () => null;
    const driver = await node(double, { timeoutMs: 5000 });
    double.fault = (request) =>
      isHead(request) ? { kind: "status", status: 503, code: "SlowDown", effect: false } : null;
    await expect(put(driver, "a", "2")).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
    double.fault = () => null;
    expect(await put(driver, "a", "3")).toMatchObject({ ok: true, version: 2 });
    expect((await driver.get("p:c:a"))?.value).toBe("3");
  });

  it("and is seen whole, by every node, when its writer dies before its documents are written", async () => {
    const double = await start();
    const [dying, reader] = [await node(double), await node(double)];
    await dying.commit("p", [
      { put: "p:c:a", value: "1" },
      { put: "p:c:b", value: "1" },
      { put: "p:ix.c.x:@1~a", value: "1" },
    ]);
    await reader.getMany(["p:c:a", "p:c:b"]);
    // One of its documents is written, none of the others.
    let written = 0;
    double.fault = (request) =>
      isDoc(request) && written++ > 0 ? { kind: "status", status: 503, code: "", effect: false } : null;
    const ops = [
      { put: "p:c:a", value: "2" },
      { del: "p:c:b" },
      { put: "p:c:d", value: "2" },
      { del: "p:ix.c.x:@1~a" },
      { put: "p:ix.c.x:@2~d", value: "1" },
    ] as const;
    await expect(dying.commit("p", ops)).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    for (const driver of [reader, dying, await node(double)]) {
      expect(await driver.get("p:c:b")).toBeNull();
      expect(await driver.getMany(["p:c:a", "p:c:b", "p:c:d"])).toMatchObject([
        { version: 2 },
        null,
        { version: 2 },
      ]);
      expect((await driver.page("p", "c", { limit: 9 })).items.map(({ key }) => key)).toEqual([
        "p:c:a",
        "p:c:d",
      ]);
      expect((await driver.page("p", "ix.c.x", { limit: 9, of: "c" })).items.map(({ key }) => key)).toEqual([
        "p:c:d",
      ]);
      expect(await driver.collections("p")).toEqual([
        { name: "c", count: 2 },
        { name: "ix.c.x", count: 1 },
      ]);
      expect(await driver.partitions()).toEqual(["p"]);
      const docs = [];
      for await (const doc of driver.snapshot("p")) docs.push(`${doc.key}@${doc.version}`);
      expect(docs.sort()).toEqual(["p:c:a@2", "p:c:d@2", "p:ix.c.x:@2~d@2"]);
    }
    // The next commit, of anyone, writes what is missing before its own.
    double.fault = () => null;
    expect(await put(reader, "e", "3")).toEqual({ ok: true, version: 3 });
    const text = (key: string): string => double.contents.get(key)?.body.toString() ?? "none";
    expect(text("docs/p/c/a")).toBe("0000000000000002\n2");
    expect(text("docs/p/c/b")).toBe("0000000000000002");
    expect(text("docs/p/c/d")).toBe("0000000000000002\n2");
    expect(text("docs/p/ix.c.x/@2~d")).toBe("0000000000000002\n1");
  });

  it("and a late write of a document overwrites nothing newer", async () => {
    const double = await start();
    const [slow, quick] = [await node(double, { timeoutMs: 2000 }), await node(double)];
    await put(slow, "a", "0");
    double.fault = first(1, isDoc, { kind: "delay", ms: 300 });
    const late = put(slow, "a", "1");
    while (!double.log.some((request) => isDoc(request) && request.body.endsWith("\n1")))
      await new Promise(setImmediate);
    expect(await put(quick, "a", "2")).toEqual({ ok: true, version: 3 });
    expect(await late).toEqual({ ok: true, version: 2 });
    for (const driver of [slow, quick])
      expect(await driver.get("p:c:a")).toMatchObject({ version: 3, value: "2" });
  });
});

describe("s3: a process that was halted in the midst of a commit", () => {
  it("writes no document any more when it wakes up too late; the next commit does", async () => {
    const double = await start();
    let wokenMs = 0;
    const [halted, other] = [
      await node(double, { wallClock: { now: () => Date.now() + wokenMs } }),
      await node(double),
    ];
    await put(halted, "a", "0");
    double.log.length = 0;
    double.fault = (request) => {
      if (!isDoc(request)) return null;
      wokenMs = 120_000;
      return { kind: "drop", effect: false };
    };
    await expect(put(halted, "b", "1")).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    expect(double.log.filter(isDoc)).toHaveLength(1);
    double.fault = () => null;
    expect((await other.get("p:c:b"))?.value).toBe("1");
    await put(other, "d", "2");
    expect(double.contents.get("docs/p/c/b")?.body.toString()).toBe("0000000000000002\n1");
  });
});

describe("s3: reading", () => {
  it("tells a bucket that is gone from a document that is not there", async () => {
    const double = await start();
    const driver = await node(double);
    double.fault = () => ({ kind: "status", status: 404, code: "NoSuchBucket", effect: false });
    await expect(driver.get("p:c:a")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(driver.page("p", "c", { limit: 1 })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(put(driver, "a", "1")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(driver.ping()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("gives up in time on a server that never answers, and bounds what is under way at once", async () => {
    const double = await start();
    const driver = await node(double, { timeoutMs: 20 });
    double.fault = () => hang(false);
    await expect(driver.get("p:c:a")).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
    double.fault = () => null;
    for (let i = 0; i < 100; i++) await put(driver, `d${i}`, "1");
    const fresh = await node(double, { timeoutMs: 5000 });
    let under = 0;
    let most = 0;
    double.fault = (request) => {
      if (request.method !== "GET" || !request.key.includes("docs/")) return null;
      most = Math.max(most, ++under);
      setTimeout(() => under--, 100);
      return { kind: "delay", ms: 100 };
    };
    expect((await fresh.page("p", "c", { limit: 100 })).items).toHaveLength(100);
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(16);
  });

  it("sees what another node has just committed", async () => {
    const double = await start();
    const [one, other] = [await node(double), await node(double)];
    for (let i = 1; i <= 20; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
      await put(writer, "a", String(i));
      expect(await reader.get("p:c:a")).toEqual({ key: "p:c:a", version: i, value: String(i) });
      const { items } = await reader.page("p", "c", { limit: 5 });
      expect(items).toEqual([{ key: "p:c:a", version: i, value: String(i) }]);
    }
  });

  it("refuses objects that someone else put there, and a head that was put back", async () => {
    const double = await start();
    const driver = await node(double);
    await put(driver, "x", "1");
    double.contents.put("docs/p/c/b", Buffer.from("no document"), 0);
    await expect(driver.get("p:c:b")).rejects.toMatchObject({ code: "CORRUPT" });
    const old = double.contents.get("heads/p")?.body ?? Buffer.alloc(0);
    await put(driver, "a", "2");
    double.contents.put("heads/p", old, 0);
    await expect((await node(double)).get("p:c:a")).rejects.toMatchObject({ code: "CORRUPT" });
    double.contents.put("heads/p", Buffer.from("{}"), 0);
    await expect((await node(double)).get("p:c:a")).rejects.toMatchObject({ code: "CORRUPT" });
  });
});
