import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Key, Op, StoreDriver } from "../../server/storage/contract.ts";
import { startS3Double } from "../support/s3-double.ts";
import type { S3Double, SeenRequest } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";

let double: S3Double;
beforeEach(async () => {
  double = await startS3Double();
});
afterEach(() => double.close());

const kindOf = ({ method, key }: SeenRequest): string =>
  method === "GET" && key === "" ? "list" : `${method.toLowerCase()} ${key.split("/")[0] ?? ""}`;

/** What a piece of work asks of the server: how many requests of each kind. */
async function count(work: () => Promise<unknown>): Promise<Record<string, number>> {
  double.log.length = 0;
  await work();
  const counts: Record<string, number> = {};
  for (const request of double.log) counts[kindOf(request)] = (counts[kindOf(request)] ?? 0) + 1;
  return counts;
}

/** Documents with an index on each, straight into the bucket as another node would have left them. */
async function fill(documents: number): Promise<void> {
  const writer = await openNode(double);
  const ids = Array.from({ length: documents }, (_, i) => `d${String(i).padStart(5, "0")}`);
  for (let from = 0; from < ids.length; from += 100) {
    const ops = ids.slice(from, from + 100).flatMap((id): Op[] => [
      { put: `p:c:${id}` as Key, value: `"${id}"` },
      { put: `p:ix.c.new:@${id}~${id}` as Key, value: "1" },
    ]);
    await writer.commit("p", ops);
  }
  // The head tells what the last commit wrote, so that one is about something else.
  await writer.commit("p", [{ put: "p:other:x", value: "1" }]);
  await writer.close();
}

describe("s3: requests", () => {
  it("for a page: one LIST, one look at the head, and a GET for each document of the page, however many there are", async () => {
    let filled = 0;
    for (const documents of [100, 600]) {
      await fill(documents);
      filled = documents;
      const driver = await openNode(double);
      // The first read of a process looks at the head once more, to begin from.
      await driver.get("p:c:none");
      const page = (after?: string) => () =>
        driver.page("p", "ix.c.new", {
          limit: 10,
          of: "c",
          prefix: "@",
          ...(after === undefined ? {} : { after }),
        });
      expect(await count(page())).toEqual({ list: 1, "get heads": 1, "get docs": 10 });
      // In memory, and nothing changed: the head alone tells.
      expect(await count(page())).toEqual({ "get heads": 1 });
      expect(await count(page("@d00050~d00050"))).toEqual({ list: 1, "get heads": 1, "get docs": 10 });
      // Half of its documents are in memory already.
      expect(await count(page("@d00045~d00045"))).toEqual({ list: 1, "get heads": 1, "get docs": 5 });
      expect(await count(() => driver.page("p", "c", { limit: 10 }))).toEqual({ list: 1, "get heads": 1 });
      await driver.close();
    }
    expect(filled).toBe(600);
  });

  it("for a document: one look at the head, and a GET when it is not in memory", async () => {
    await fill(100);
    const driver = await openNode(double);
    expect(await count(() => driver.get("p:c:d00001"))).toEqual({ "get heads": 2, "get docs": 1 });
    expect(await count(() => driver.get("p:c:d00001"))).toEqual({ "get heads": 1 });
    expect(await count(() => driver.getMany(["p:c:d00001", "p:c:d00002", "p:c:none"]))).toEqual({
      "get heads": 1,
      "get docs": 2,
    });
    expect(await count(() => driver.getMany(["p:c:d00001", "p:c:none"]))).toEqual({ "get heads": 1 });
    const together = () => Promise.all(Array.from({ length: 50 }, () => driver.get("p:c:d00001")));
    expect(await count(together)).toEqual({ "get heads": 1 });
    await driver.close();
  });

  it("for a document that another node changed: the head tells it, and what else is in memory stays", async () => {
    await fill(100);
    const [driver, other] = [await openNode(double), await openNode(double)];
    const read = () => driver.getMany(["p:c:d00001", "p:c:d00002"]);
    await read();
    await other.commit("p", [{ put: "p:c:d00001", value: "2" }]);
    expect(await count(async () => expect((await read())[0]?.value).toBe("2"))).toEqual({ "get heads": 1 });
    // Two commits later a head was missed, so what is in memory is asked for by its ETag.
    for (const value of ["3", "4"]) await other.commit("p", [{ put: "p:c:d00001", value }]);
    expect(await count(async () => expect((await read())[0]?.value).toBe("4"))).toMatchObject({
      "get docs": 1,
    });
    for (const each of [driver, other]) await each.close();
  });

  it("for a commit: one head and its documents; commits of one moment share a head", async () => {
    const driver = await openNode(double);
    await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
    const commit = (id: string) => () => driver.commit("p", [{ put: `p:c:${id}` as Key, value: "2" }]);
    expect(await count(commit("a"))).toEqual({ "put heads": 1, "put docs": 1 });
    // What it may replace is looked at for the total of the partition.
    expect(await count(commit("b"))).toEqual({ "get docs": 1, "put heads": 1, "put docs": 1 });
    const check = { key: "p:c:a", version: 2 } as const;
    expect(await count(() => driver.commit("p", [{ put: "p:c:a", value: "3" }], [check]))).toEqual({
      "put heads": 1,
      "put docs": 1,
    });
    const many = await count(() => Promise.all(Array.from({ length: 64 }, (_, i) => commit(`m${i}`)())));
    expect(many["put docs"]).toBe(64);
    expect(many["put heads"]).toBeLessThanOrEqual(4);
    await driver.close();
  });

  it("for the list of partitions: one LIST, and only those that changed are looked into", async () => {
    const driver = await openNode(double);
    for (const part of ["a", "b", "c", "d"]) await driver.commit(part, [{ put: `${part}:c:x`, value: "1" }]);
    await driver.partitions();
    expect(await count(() => driver.partitions())).toEqual({ list: 1 });
    await driver.commit("b", [{ del: "b:c:x" }]);
    const again = await count(async () => expect(await driver.partitions()).toEqual(["a", "c", "d"]));
    expect(again["list"]).toBe(2);
    expect(await count(() => driver.partitions())).toEqual({ list: 1 });
    await driver.close();
  });
});

describe("s3: tombstones", () => {
  /** An hour by a server's clock, which tells whole seconds. */
  const HOUR_MS = 3_601_000;
  let nowMs = Date.now();
  const openAt = (): Promise<StoreDriver> => openNode(double, { wallClock: { now: () => nowMs } });
  beforeEach(async () => {
    await double.close();
    nowMs = Date.now();
    double = await startS3Double({ now: () => nowMs });
  });
  const docKeys = () => double.contents.keys.filter((key) => key.startsWith("docs/"));
  /** Puts and removes documents, one of which stays. */
  async function scatter(driver: StoreDriver, documents: number): Promise<void> {
    const ids = Array.from({ length: documents }, (_, i): Key => `p:c:d${String(i).padStart(4, "0")}`);
    for (let from = 0; from < ids.length; from += 200)
      await driver.commit(
        "p",
        ids.slice(from, from + 200).map((put) => ({ put, value: "1" })),
      );
    for (let from = 0; from < ids.length; from += 200)
      await driver.commit(
        "p",
        ids.slice(from, from + 200).map((del) => ({ del })),
      );
    await driver.commit("p", [{ put: "p:c:z", value: "1" }]);
  }

  it("stay for an hour and are swept then, by compact and by whoever lists them", async () => {
    const driver = await openAt();
    await scatter(driver, 30);
    expect(docKeys()).toHaveLength(31);
    const { bytesBefore, bytesAfter } = (await driver.compact?.()) ?? { bytesBefore: 0, bytesAfter: 0 };
    expect([bytesBefore, bytesAfter]).toEqual([30 * 16 + 18, 30 * 16 + 18]);
    expect(docKeys()).toHaveLength(31);
    nowMs += HOUR_MS;
    expect(await driver.compact?.()).toEqual({ bytesBefore: 30 * 16 + 18, bytesAfter: 18 });
    expect(docKeys()).toEqual(["docs/p/c/z"]);

    await scatter(driver, 30);
    nowMs += HOUR_MS;
    // A process that begins anew, as nothing is in its memory.
    const other = await openAt();
    expect((await other.page("p", "c", { limit: 2 })).items.map(({ key }) => key)).toEqual(["p:c:z"]);
    await other.close();
    expect(docKeys()).toEqual(["docs/p/c/z"]);
    await driver.close();
  });

  it("leave documents that are written anew alone, before and after", async () => {
    const driver = await openAt();
    await scatter(driver, 30);
    nowMs += HOUR_MS;
    const [swept, put] = await Promise.all([
      driver.compact?.(),
      driver.commit("p", [{ put: "p:c:d0007", value: '"new"' }]),
    ]);
    expect(swept?.bytesAfter).toBeLessThan(31 * 16);
    expect(put.ok).toBe(true);
    await driver.compact?.();
    expect((await driver.get("p:c:d0007"))?.value).toBe('"new"');
    expect(
      await driver.commit("p", [{ put: "p:c:d0008", value: '"new"' }], [{ key: "p:c:d0008", version: 0 }]),
    ).toMatchObject({ ok: true });
    expect(docKeys()).toEqual(["docs/p/c/d0007", "docs/p/c/d0008", "docs/p/c/z"]);
    await driver.close();
  });

  it("keep their names fenced off while a DELETE has no answer, until it can't be carried out any more", async () => {
    const driver = await openNode(double, { wallClock: { now: () => nowMs }, timeoutMs: 100 });
    await scatter(driver, 3);
    nowMs += HOUR_MS;
    double.fault = ({ method, key }) =>
      method === "DELETE" && key.endsWith("d0001") ? { kind: "hang", effect: false } : null;
    await driver.compact?.();
    double.fault = () => null;
    expect(docKeys()).toEqual(["docs/p/c/d0001", "docs/p/c/z"]);
    // Other names can be written; this one can't, for as long as the DELETE may still come.
    const put = (id: string) => driver.commit("p", [{ put: `p:c:${id}` as Key, value: "2" }]);
    expect(await put("d0005")).toMatchObject({ ok: true });
    const blocked = put("d0001").then(
      () => "done",
      (error: { code: string }) => error.code,
    );
    // Nor does it keep those that come with it or after it waiting, nor the names whose DELETE was answered.
    for (const id of ["d0000", "d0002", "d0006"]) expect(await put(id)).toMatchObject({ ok: true });
    expect(await Promise.race([blocked, Promise.resolve("waiting")])).toBe("waiting");
    const patience = setInterval(() => (nowMs += 1000), 5);
    expect(await blocked).toBe("UNAVAILABLE");
    clearInterval(patience);
    nowMs += HOUR_MS;
    expect(await put("d0001")).toMatchObject({ ok: true });
    expect((await driver.get("p:c:d0001"))?.value).toBe("2");
    await driver.close();
  });

  it("cost listings, not answers: a page behind a thousand of them is right", async () => {
    const driver = await openAt();
    await scatter(driver, 1100);
    const other = await openAt();
    expect((await other.page("p", "c", { limit: 1 })).items.map(({ key }) => key)).toEqual(["p:c:z"]);
    for (const each of [driver, other]) await each.close();
  });
});
