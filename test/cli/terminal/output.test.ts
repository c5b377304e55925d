import { PassThrough } from "node:stream";

import { describe, expect, it } from "vitest";

import { createOutput } from "../../../cli/terminal/output.ts";
import type { OutputOptions } from "../../../cli/terminal/output.ts";

function open(options: Partial<OutputOptions> & { tty?: boolean; env?: Record<string, string> } = {}) {
  const stdout = Object.assign(new PassThrough(), options.tty === true ? { isTTY: true } : {});
  const stderr = new PassThrough();
  const defaults = { json: false, plain: false, quiet: false, verbose: false, color: true };
  const out = createOutput({ stdout, stderr, env: options.env ?? {} }, { ...defaults, ...options });
  return { out, said: () => String(stdout.read() ?? ""), talked: () => String(stderr.read() ?? "") };
}

const ROWS = [
  {
    id: "key_1",
    at: "2026-06-01T09:00:00.000Z",
    on: true,
    tags: ["a", "b"],
    none: null,
    note: "x\ty\u001b[2J\u202e",
  },
  { id: "key_22", at: null, on: false, tags: [], none: null, note: "" },
];
const COLUMNS = [
  ["ID", "id"],
  ["AT", "at"],
  ["ON", "on"],
  ["TAGS", "tags"],
  ["NONE", "none"],
  ["NOTE", "note"],
] as const;

describe("a list", () => {
  it("is a table on a terminal, times in the local zone", async () => {
    const { out, said } = open({ tty: true, env: { NO_COLOR: "1" } });
    await out.list(ROWS, COLUMNS);
    const lines = said().split("\n");
    expect(lines[0]).toMatch(/^ID +AT +ON +TAGS +NONE +NOTE$/);
    expect(lines[1]).toMatch(/^key_1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +yes +a, b +– +x y \[2J$/);
    expect(lines[2]).toMatch(/^key_22 +– +no +– +– +–$/);
    expect(lines.slice(3)).toEqual([""]);
  });

  it("has a bold head where colours are wanted", async () => {
    const bold = "\u001b[1mID\u001b[22m";
    for (const [options, isBold] of [
      [{ tty: true }, true],
      [{ tty: true, color: false }, false],
      [{ tty: true, env: { NO_COLOR: "1" } }, false],
      [{ tty: true, env: { TERM: "dumb" } }, false],
      [{ tty: true, env: { NO_COLOR: "1", FORCE_COLOR: "1" } }, true],
    ] as const) {
      const { out, said } = open(options);
      await out.list(ROWS, [["ID", "id"]]);
      expect(said().includes(bold), JSON.stringify(options)).toBe(isBold);
    }
  });

  it.each([{}, { tty: true, plain: true }])(
    "is tab-separated on a pipe and with --plain, times in UTC: %j",
    async (options) => {
      const { out, said } = open(options);
      await out.list(ROWS, COLUMNS);
      expect(said()).toBe("key_1\t2026-06-01T09:00:00.000Z\ttrue\ta,b\t\tx y [2J \nkey_22\t\tfalse\t\t\t\n");
    },
  );

  it("is one document with --json, which holds everything and moves no cursor", async () => {
    const { out, said } = open({ tty: true, json: true });
    await out.list(ROWS, COLUMNS, { pagination: { has_more: false, next_cursor: null } });
    const text = said();
    expect(JSON.parse(text)).toEqual({
      data: ROWS,
      meta: { count: 2, pagination: { has_more: false, next_cursor: null } },
    });
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  });

  it("is nothing at all when it is empty, and a document with --json", async () => {
    const table = open({ tty: true });
    await table.out.list([], COLUMNS);
    expect(table.said()).toBe("");
    const json = open({ json: true });
    await json.out.list([], COLUMNS);
    expect(JSON.parse(json.said())).toEqual({ data: [], meta: { count: 0 } });
  });
});

describe("one thing", () => {
  it("gives a script the one line it wants, and everything with --json", async () => {
    const plain = open();
    await plain.out.value({ id: "key_1", api_key: "secret" }, "secret");
    expect(plain.said()).toBe("secret\n");
    const json = open({ json: true });
    await json.out.value({ id: "key_1", api_key: "secret" }, "secret");
    expect(JSON.parse(json.said())).toEqual({ data: { id: "key_1", api_key: "secret" } });
  });
});

describe("an event", () => {
  it("is a line: of JSON, of cells", async () => {
    const json = open({ json: true });
    await json.out.event({ a: 1 }, [1]);
    await json.out.event({ a: 2 }, [2]);
    expect(json.said()).toBe('{"a":1}\n{"a":2}\n');
    const plain = open();
    await plain.out.event({ a: 1 }, [1, "x\ny"]);
    expect(plain.said()).toBe("1\tx y\n");
  });
});

describe("talk", () => {
  it("goes to stderr, is silent with --quiet, and never carries control characters", () => {
    const loud = open();
    loud.out.info("one\u001b[2J");
    loud.out.debug("two");
    expect(loud.talked()).toBe("one [2J\n");
    expect(loud.said()).toBe("");
    const quiet = open({ quiet: true, verbose: true });
    quiet.out.info("one");
    quiet.out.debug("two");
    quiet.out.warn("three");
    expect(quiet.talked()).toBe("two\nthree\n");
  });
});

describe("what a service sends piece by piece", () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    // Cut in the middle of a character.
    const bytes = Buffer.from("a\u001b]0;x\u0007 é\u009b2J\u202e\n\tb\n");
    yield bytes.subarray(0, 9);
    yield bytes.subarray(9);
  }

  it("stays as it is on a pipe", async () => {
    const { out, said } = open();
    await out.copy(pieces());
    expect(said()).toBe("a\u001b]0;x\u0007 é\u009b2J\u202e\n\tb\n");
  });

  it("moves no cursor on a terminal", async () => {
    const { out, said } = open({ tty: true });
    await out.copy(pieces());
    expect(said()).toBe("a ]0;x  é 2J \n\tb\n");
  });
});
