import { createHash } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  BackupError,
  backupStream,
  passBackup,
  readBackup,
  writeBackup,
} from "../../server/storage/backup.ts";
import type { Doc, StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "./conformance.ts";

const TAKEN_AT = "2026-06-01T09:00:00.000Z";

let store: StoreDriver;
beforeEach(async () => {
  store = createMemoryDriver({ clock: createTestClock() });
  await store.commit("b", [{ put: "b:c:old", value: "1" }]);
  await store.commit("b", [{ del: "b:c:old" }]);
  await store.commit("b", [
    { put: "b:c:two", value: '{"name": "Zürich"}' },
    { put: "b:c:one", value: '{"n":9007199254740993}' },
    { put: "b:ix.c.new:@1~one", value: "1" },
  ]);
  await store.commit("a", [{ put: "a:x.y:1", value: '""' }]);
  await store.commit("storage", [{ put: "storage:state:freeze", value: "{}" }]);
});
afterEach(() => store.close());

async function backupText(order?: "key"): Promise<string> {
  let text = "";
  await writeBackup(store, (piece) => void (text += piece), { takenAt: TAKEN_AT, ...(order && { order }) });
  return text;
}

/** The text in pieces of so many bytes. */
async function* pieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

describe("a backup", () => {
  it("holds the texts as they are stored, and a last line that proves them", async () => {
    const lines = (await backupText("key")).split("\n");
    expect(lines.pop()).toBe("");
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      format: 1,
      driver: "memory",
      taken_at: TAKEN_AT,
      partitions: [
        { name: "a", version: 1, documents: 1 },
        { name: "b", version: 3, documents: 3 },
      ],
    });
    expect(lines.slice(1, -1)).toEqual([
      '{"k":"a:x.y:1","v":1,"d":""}',
      '{"k":"b:c:one","v":3,"d":{"n":9007199254740993}}',
      '{"k":"b:c:two","v":3,"d":{"name": "Zürich"}}',
      '{"k":"b:ix.c.new:@1~one","v":3,"d":1}',
    ]);
    const sha256 = createHash("sha256")
      .update(`${lines.slice(0, -1).join("\n")}\n`)
      .digest("hex");
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ count: 4, sha256 });
  });

  it("is read back in pieces of any size, byte for byte, one partition at a time", async () => {
    const text = await backupText();
    for (const size of [1, 2, 5, 64, 100_000]) {
      const docs: Doc[] = [];
      const parts: string[] = [];
      const trailer = await readBackup(pieces(text, size), {
        docs(part, found) {
          expect(found.every(({ key }) => key.startsWith(`${part}:`))).toBe(true);
          parts.push(part);
          docs.push(...found);
        },
      });
      expect(parts).toEqual(["a", "b"]);
      expect(docs).toContainEqual({ key: "b:c:one", version: 3, value: '{"n":9007199254740993}' });
      expect(docs).toContainEqual({ key: "b:c:two", version: 3, value: '{"name": "Zürich"}' });
      expect(trailer).toEqual(JSON.parse(text.trimEnd().split("\n").at(-1) ?? ""));
    }
  });

  it("is the same as a stream, and may be read while it is passed on", async () => {
    const passed: Uint8Array[] = [];
    let count = 0;
    const stream = backupStream(store, { takenAt: TAKEN_AT });
    for await (const chunk of passBackup(stream, { trailer: (trailer) => (count = trailer.count) }))
      passed.push(chunk);
    expect(Buffer.concat(passed).toString()).toBe(await backupText());
    expect(count).toBe(4);
  });

  it("that breaks off ends its stream with the error, and without the last line", async () => {
    const broken: StoreDriver = {
      ...store,
      async *snapshot(part) {
        yield { key: `${part}:c:first`, version: 1, value: "1" };
        throw new Error("the disk is gone");
      },
    };
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of backupStream(broken, { takenAt: TAKEN_AT })) chunks.push(chunk);
    })();
    await expect(reading).rejects.toThrow("the disk is gone");
    expect(Buffer.concat(chunks).toString()).not.toContain('"count"');
  });
});

describe("what is no whole backup is refused:", () => {
  const refusal = async (text: string | AsyncIterable<Uint8Array>): Promise<string> => {
    try {
      await readBackup(typeof text === "string" ? pieces(text) : text);
    } catch (error) {
      if (error instanceof BackupError) return error.message;
      throw error;
    }
    return "accepted";
  };

  it("cut after any byte", async () => {
    const text = await backupText();
    const bytes = Buffer.from(text);
    for (let end = 0; end < bytes.length; end++) {
      const cut = (async function* () {
        yield bytes.subarray(0, end);
      })();
      expect(await refusal(cut), `${end} bytes`).not.toBe("accepted");
    }
    expect(await refusal(text)).toBe("accepted");
  });

  it("changed in any bit of any byte that matters", async () => {
    const text = await backupText();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const one = (async function* () {
        yield changed;
      })();
      expect(await refusal(one), `byte ${at}`).not.toBe("accepted");
    }
  });

  it("with a line too many, too few, twice or in another place", async () => {
    const lines = (await backupText()).trimEnd().split("\n");
    const join = (rows: readonly string[]): string => `${rows.join("\n")}\n`;
    expect(await refusal(join(lines))).toBe("accepted");
    expect(await refusal(join(lines.toSpliced(2, 1)))).toContain("3 documents, but 4 were written");
    expect(await refusal(join(lines.toSpliced(2, 0, lines[2] ?? "")))).toContain("5 documents");
    expect(await refusal(join(lines.with(2, lines[3] ?? "").with(3, lines[2] ?? "")))).toContain("checksum");
    expect(await refusal(join([...lines, lines[1] ?? ""]))).toContain("has content after its trailer line");
    expect(await refusal(join(lines.slice(1)))).toContain("first line");
    expect(await refusal("")).toBe("it is empty");
  });

  it("of another kind", async () => {
    expect(await refusal("hello\n")).toContain("first line");
    expect(await refusal('{"format":2,"driver":"fs","taken_at":"","partitions":[]}\n')).toContain("format 2");
    expect(await refusal('{"format":1,"driver":"fs","partitions":[{"name":1}]}\n')).toContain("first line");
    const [header = ""] = (await backupText()).split("\n");
    for (const line of [
      "{}",
      '{"k":"a:b","v":1,"d":1}',
      '{"k":"a:b:c d","v":1,"d":1}',
      '{"k":"a:b:c","v":0,"d":1}',
    ])
      expect(await refusal(`${header}\n${line}\n`)).toContain("document 1");
    expect(await refusal(pieces(`${header}\n`.padEnd(20_000_000, "x"), 1_000_000))).toContain(
      "not a text file",
    );
  });
});
