import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { defineCollection, toText } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { domainEvents, eventFilters } from "../../server/core/events.ts";
import { Problem } from "../../server/lib/errors.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx, Stored, Tx } from "../../server/core/tx.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";
import { many } from "../support/longest-turn.ts";

const Note = z.strictObject({
  id: z.string(),
  status: z.enum(["open", "done"]),
  count: z.int(),
  text: z.string().optional(),
});
type Note = z.infer<typeof Note>;
const notes = defineCollection({
  name: "test.notes",
  schema: Note,
  indexes: { status: { values: (note) => [note.status] } },
});

const clock = createTestClock();
const newId = createNewId(clock, createSystemRandom());
let store: StoreDriver;
let runTx: RunTx;

beforeEach(() => {
  store = createMemoryDriver({ clock });
  runTx = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
});

const add = (count = 0, more: Partial<Note> = {}): Promise<string> =>
  runTx("p", async (tx) => tx.create(notes, { id: newId("not"), status: "open", count, ...more }).id);

describe("a transaction", () => {
  it("stores its events where they are subscribed to before it commits", async () => {
    const event = { id: newId("evt"), type: "test.made", at: "2026-01-01T00:00:00.000Z", data: {} };
    const subscribe = () =>
      runTx("p", async (tx) => tx.create(eventFilters, { id: "wanted", types: ["test.*"] }));
    let runs = 0;
    const write = async (tx: Tx) => {
      runs += 1;
      tx.create(notes, { id: newId("not"), status: "open", count: 1 });
      tx.emit(event);
      if (runs === 1) await subscribe();
    };
    await runTx("p", write, { writes: true });
    const stored = await runTx("p", (tx) => tx.peekAll(domainEvents, { index: "time", value: "" }));
    expect([runs, stored.length]).toEqual([2, 1]);
  });

  it("is one of two that read more than a million characters for a customer at the same time", async () => {
    const ids = await Promise.all(many(6, () => add(0, { text: "x".repeat(200_000) })));
    let [running, most] = [0, 0];
    const read = (options = {}) =>
      runTx(
        "p",
        async (tx) => {
          for (const id of ids) await tx.get(notes, id);
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
        },
        options,
      );
    await Promise.all(many(6, () => read({ readsAs: "cus_1" })));
    expect(most).toBe(2);
    // The places are free again.
    await Promise.all([...many(2, () => read({ readsAs: "cus_1" })), read({ readsAs: "cus_2" })]);
    expect(most).toBe(3);
  });

  it("writes all it staged or nothing", async () => {
    const failing = runTx("p", async (tx) => {
      tx.create(notes, { id: newId("not"), status: "open", count: 1 });
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await store.collections("p")).toEqual([]);
  });

  it("sees its own writes and gives them the version of the commit", async () => {
    const draft = await runTx("p", async (tx) => {
      const made = tx.create(notes, { id: newId("not"), status: "open", count: 1 });
      expect((await tx.get(notes, made.id))?.value.count).toBe(1);
      tx.remove(notes, made);
      expect(await tx.get(notes, made.id)).toBeNull();
      return tx.put(notes, made, { ...made.value, count: 2 });
    });
    expect(draft.version).toBeGreaterThan(0);
    const read = await runTx("p", (tx) => tx.require(notes, draft.id));
    expect([read.version, read.value.count]).toEqual([draft.version, 2]);
  });

  it("reads documents of several collections at once, sees what is staged and checks them at the commit", async () => {
    const tags = defineCollection({ name: "test.tags", schema: z.strictObject({ id: z.string() }) });
    const id = await add(1);
    await runTx("p", async (tx) => tx.create(tags, { id: "tag_1" }));
    let runs = 0;
    await runTx("p", async (tx) => {
      runs += 1;
      const [note, tag, none] = await tx.getEach([notes, id], [tags, "tag_1"], [tags, "tag_2"]);
      expect([tag?.value.id, none]).toEqual(["tag_1", null]);
      if (note === null) throw new Error("no note");
      expect(note.value.count).toBe(runs);
      if (runs === 1)
        await runTx("p", async (other) => {
          const before = await other.require(notes, id);
          other.put(notes, before, { ...before.value, count: 2 });
        });
      tx.put(notes, note, { ...note.value, count: 10 });
      expect((await tx.getEach([notes, id]))[0]?.value.count).toBe(10);
    });
    expect(runs).toBe(2);
  });

  it("runs again when a document that it only read has changed", async () => {
    const guard = await add(1);
    const target = await add(0);
    let runs = 0;
    await runTx("p", async (tx) => {
      runs += 1;
      const seen = await tx.require(notes, guard);
      if (runs === 1) {
        await runTx("p", async (other) => {
          const before = await other.require(notes, guard);
          other.put(notes, before, { ...before.value, count: 7 });
        });
      }
      const before = await tx.require(notes, target);
      tx.put(notes, before, { ...before.value, count: seen.value.count });
    });
    expect(runs).toBe(2);
    expect((await runTx("p", (tx) => tx.require(notes, target))).value.count).toBe(7);
  });

  describe.each([
    ["put", (tx: Tx, seen: Stored<Note>) => tx.put(notes, seen, { ...seen.value, count: 1 })],
    ["save", (tx: Tx, seen: Stored<Note>) => tx.save(notes, seen, { ...seen.value, count: 1 })],
    ["remove", (tx: Tx, seen: Stored<Note>) => tx.remove(notes, seen)],
  ])("%s of a document of a page", (_, write) => {
    const complete = (id: string) =>
      runTx("p", async (tx) => {
        const before = await tx.require(notes, id);
        tx.put(notes, before, { ...before.value, status: "done" });
      });

    it("runs again when the document has changed since the page was read", async () => {
      const id = await add(0);
      let runs = 0;
      await runTx("p", async (tx) => {
        runs += 1;
        const [seen] = await tx.peekAll(notes, { index: "status", value: "open" });
        if (runs === 1) await complete(id);
        if (seen !== undefined) write(tx, seen);
      });
      expect(runs).toBe(2);
      const after = await runTx("p", (tx) => tx.require(notes, id));
      expect(after.value).toEqual({ id, status: "done", count: 0 });
    });

    it("runs again when it was read twice with a change between", async () => {
      const id = await add(0);
      let runs = 0;
      await runTx("p", async (tx) => {
        runs += 1;
        const [seen] = await tx.peekAll(notes, { index: "status", value: "open" });
        if (runs === 1) await complete(id);
        await tx.get(notes, id);
        if (seen !== undefined) write(tx, seen);
      });
      expect(runs).toBe(2);
    });
  });

  it("serves a crowd on one document without losing an increment", async () => {
    const id = await add(0);
    await Promise.all(
      Array.from({ length: 300 }, () =>
        runTx("p", async (tx) => {
          const before = await tx.require(notes, id);
          tx.put(notes, before, { ...before.value, count: before.value.count + 1 });
        }),
      ),
    );
    expect((await runTx("p", (tx) => tx.require(notes, id))).value.count).toBe(300);
  });

  it("creates an id once: the second creator runs again and sees the first", async () => {
    const id = newId("not");
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        runTx("p", async (tx) => {
          if ((await tx.get(notes, id)) !== null) return "found";
          tx.create(notes, { id, status: "open", count: 0 });
          return "created";
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(1);
  });

  it("serves a crowd on two nodes, whose commits take different times", async () => {
    const id = await add(0);
    let commits = 0;
    const slow: StoreDriver = {
      ...store,
      async commit(...args) {
        commits += 1;
        for (let turn = commits % 7; turn > 0; turn -= 1) await new Promise(setImmediate);
        return store.commit(...args);
      },
    };
    const node = () => createRunTx({ store: slow, cursors: createCursorCodec(new Uint8Array(32)) });
    const increment = (run: RunTx) =>
      run("p", async (tx) => {
        const before = await tx.require(notes, id);
        tx.put(notes, before, { ...before.value, count: before.value.count + 1 });
      });
    const nodes = [node(), node()];
    await Promise.all(nodes.flatMap((run) => Array.from({ length: 100 }, () => increment(run))));
    expect((await runTx("p", (tx) => tx.require(notes, id))).value.count).toBe(200);
  });

  it("lets nobody overtake a queue: each queued run is carried out in its turn", async () => {
    const id = await add(0);
    const order: number[] = [];
    let running = 0;
    const increment = (name: number) =>
      runTx("p", async (tx) => {
        running += 1;
        const before = await tx.require(notes, id);
        await new Promise(setImmediate);
        tx.put(notes, before, { ...before.value, count: before.value.count + 1 });
      }).then(() => order.push(name));
    const first = Array.from({ length: 50 }, (_, index) => increment(index));
    const later: Promise<number>[] = [];
    while (order.length < 10) {
      await new Promise(setImmediate);
      later.push(increment(50 + later.length));
    }
    await Promise.all([...first, ...later]);
    const total = 50 + later.length;
    expect((await runTx("p", (tx) => tx.require(notes, id))).value.count).toBe(total);
    expect(order.slice(0, 50).every((name) => name < 50)).toBe(true);
    // The first attempt, and the one in its turn; a few lose to the commit of the queue's head.
    expect(running).toBeLessThanOrEqual(2 * total + 50);
  });

  it("gives up with 503 when every run loses its race", async () => {
    const id = await add(0);
    const hostile: StoreDriver = {
      ...store,
      commit: async (_part, _ops, checks = []) => ({ ok: false, conflict: checks[0]?.key ?? "p:x:x" }),
    };
    const losing = createRunTx({
      store: hostile,
      cursors: createCursorCodec(new Uint8Array(32)),
      retryMs: 20,
    });
    const lost = losing("p", async (tx) => {
      const before = await tx.require(notes, id);
      tx.put(notes, before, { ...before.value, count: 1 });
    });
    await expect(lost).rejects.toMatchObject({
      type: "service_unavailable",
      options: { code: "contention", headers: { "Retry-After": "1" } },
    });
  });

  it("moves index entries with the document", async () => {
    const id = await add();
    const list = (value: string) => runTx("p", (tx) => tx.peekAll(notes, { index: "status", value }));
    expect((await list("open")).map((note) => note.id)).toEqual([id]);
    await runTx("p", async (tx) => {
      const before = await tx.require(notes, id);
      tx.put(notes, before, { ...before.value, status: "done" });
    });
    expect(await list("open")).toEqual([]);
    expect((await list("done")).map((note) => note.id)).toEqual([id]);
    await runTx("p", async (tx) => tx.remove(notes, await tx.require(notes, id)));
    expect(await store.collections("p")).toEqual([]);
  });

  it("pages newest first through cursors that fit one list only", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      clock.advance(1);
      ids.push(await add(index));
    }
    const first = await runTx("p", (tx) => tx.peekPage(notes, { limit: 2 }));
    expect(first.items.map((note) => note.id)).toEqual([ids[4], ids[3]]);
    const second = await runTx("p", (tx) => tx.peekPage(notes, { limit: 2, cursor: first.next ?? "" }));
    expect(second.items.map((note) => note.id)).toEqual([ids[2], ids[1]]);
    const last = await runTx("p", (tx) => tx.peekPage(notes, { limit: 2, cursor: second.next ?? "" }));
    expect([last.items.map((note) => note.id), last.next]).toEqual([[ids[0]], null]);

    const elsewhere = runTx("p", (tx) =>
      tx.peekPage(notes, { index: "status", value: "open", limit: 2, cursor: first.next ?? "" }),
    );
    await expect(elsewhere).rejects.toBeInstanceOf(Problem);
    const otherStore = runTx("q", (tx) => tx.peekPage(notes, { limit: 2, cursor: first.next ?? "" }));
    await expect(otherStore).rejects.toMatchObject({ type: "unprocessable_content" });
  });

  it("finds nothing under an id that no key can have", async () => {
    const known = await add(1);
    for (const id of ["", "..", "a/b", "a:b", "x".repeat(200), "é"]) {
      expect(await runTx("p", (tx) => tx.get(notes, id))).toBeNull();
      const found = await runTx("p", (tx) => tx.getAll(notes, [id, known, id]));
      expect(found.map((note) => note?.id)).toEqual([undefined, known, undefined]);
    }
  });
});

describe("a stored document", () => {
  it("is served as the text that was stored, without its schema version", async () => {
    const id = await add(3);
    const read = await runTx("p", (tx) => tx.require(notes, id));
    expect(`{${read.members}`).toBe(JSON.stringify({ id, status: "open", count: 3 }));
  });

  it("of an older schema version is lifted on reading, as text and as value", async () => {
    const lifted = defineCollection({
      name: "test.notes",
      schema: Note.extend({ colour: z.string() }),
      schemaVersion: 2,
      upgrade: (old, from) => ({ ...old, colour: `was ${from}` }),
    });
    const id = await add(3);
    const read = await runTx("p", (tx) => tx.require(lifted, id));
    expect(read.value.colour).toBe("was 1");
    expect(JSON.parse(`{${read.members}`)).toEqual({ id, status: "open", count: 3, colour: "was 1" });
    expect(toText(lifted, read.value)).toMatch(/^\{"schema_version":2,/);
  });
});
