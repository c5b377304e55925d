import { createHash } from "node:crypto";

import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { strFromU8, unzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storeMails } from "../../../server/core/store-mail.ts";
import { archiveOf } from "../../../server/operations/privacy/archive.ts";
import { PrivacyRequest } from "../../../server/operations/privacy/schema.ts";
import { longestOf, TURN_MS } from "../../support/longest-turn.ts";
import { storeExport } from "./store-export.ts";
import { ADA, createWorld } from "./world.ts";
import type { World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.harness.close());

/** Stores an export that is done, cut into parts of so many characters. */
const storeLines = (lines: readonly string[], size: number): Promise<PrivacyRequest> => {
  const text = lines.map((line) => `${line}\n`).join("");
  return storeExport(world.harness.services.runTx, world.part, Math.ceil(text.length / size), (index) =>
    text.slice(index * size, (index + 1) * size),
  );
};

const archive = async (request: PrivacyRequest): Promise<Record<string, Uint8Array>> => {
  const body = await archiveOf(world.harness.services.runTx, world.part, request);
  return unzipSync(new Uint8Array(await new Response(body).arrayBuffer()));
};

const flat = (value: object, path = ""): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? Object.entries(flat(member, `${path}${name}.`))
        : [[`${path}${name}`, typeof member === "string" ? member : JSON.stringify(member ?? null)]],
    ),
  );

describe("the zip of an export", () => {
  const documentOf = (n: number) => ({
    id: `fsb_${n}`,
    name: n % 3 === 0 ? "=SUM(A1)" : `Zoë "${n}"\nof Ümläut, 家`,
    contact: { email: "ada@shop.example", phone: n % 2 === 0 ? null : "07700 900123" },
    tags: ["a", { b: n }],
    ...(n === 70 ? { late: { column: true } } : {}),
    text: "rye and wheat ".repeat(n),
  });
  const line = (part: string, collection: string, document: object) =>
    JSON.stringify({ part, collection, document });

  it.each([997, 4_000, 60_000])(
    "has each file as if it were written at once, from parts of %i characters",
    async (size) => {
      const submissions = Array.from({ length: 120 }, (_unused, n) => documentOf(n));
      const mails = Array.from({ length: 9 }, (_unused, n) => ({ id: `ltr_${n}`, to: "ada@shop.example" }));
      const content = Buffer.from(Array.from({ length: 20_000 }, (_unused, n) => (n * 7) % 251));
      const pieces = [0, 1, 0, 1, 2].map((index) =>
        JSON.stringify({
          part: "sto_a",
          collection: "forms.files",
          file: "fil_1.bin",
          index,
          data: content.subarray(index * 8_000, (index + 1) * 8_000).toString("base64"),
        }),
      );
      const request = await storeLines(
        [
          ...submissions.slice(0, 60).map((one) => line("sto_a", "forms.submissions", one)),
          ...pieces,
          ...submissions.slice(60).map((one) => line("sto_a", "forms.submissions", one)),
          ...mails.map((one) => line("sto_a", "kernel.letters", one)),
          line("sto_a_test", "forms.submissions", documentOf(1)),
        ],
        size,
      );
      const files = await archive(request);
      expect(Object.keys(files)).toEqual([
        "live/forms.files/fil_1.bin",
        "live/forms.submissions.json",
        "live/forms.submissions.csv",
        "live/kernel.letters.json",
        "live/kernel.letters.csv",
        "test/forms.submissions.json",
        "test/forms.submissions.csv",
        "about.json",
      ]);
      const textOf = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
      expect(textOf("live/forms.submissions.json")).toBe(`${JSON.stringify(submissions, null, 2)}\n`);
      const rows = submissions.map((one) => flat(one));
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      expect(textOf("live/forms.submissions.csv")).toBe(
        stringify(rows, { header: true, columns, escape_formulas: true }),
      );
      expect(textOf("live/kernel.letters.csv").split("\n")).toHaveLength(11);
      expect(Buffer.compare(files["live/forms.files/fil_1.bin"] ?? Buffer.alloc(0), content)).toBe(0);
      expect(JSON.parse(textOf("about.json"))).toEqual({
        request_id: request.id,
        email: "ada@shop.example",
        made_at: "2026-06-02T09:00:00.000Z",
        documents: { "live/forms.submissions": 120, "live/kernel.letters": 9, "test/forms.submissions": 1 },
      });
    },
  );

  it("makes no formula where Excel takes semicolons and line breaks for the ends of cells", async () => {
    const one = { id: "fsb_1", data: { message: "We need;=1+1\n=2\n@x;-2" } };
    const files = await archive(await storeLines([line("sto_a", "forms.submissions", one)], 4_000));
    const csv = strFromU8(files["live/forms.submissions.csv"] ?? new Uint8Array());
    const cells = parse(csv, { delimiter: ";", quote: null, relax_column_count: true }).flat();
    expect(cells.length).toBeGreaterThan(4);
    expect(cells.filter((cell: string) => /^[=+\-@]/.test(cell))).toEqual([]);
  });

  it("has a CSV of at most 1,000 columns, and further members in one more, as JSON", async () => {
    const documents = Array.from({ length: 30 }, (_unused, n) => ({
      id: `crt_${n}`,
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_key, k) => [`k_${n}_${k}`, `${n}=${k}`])),
      ...(n === 25 ? { lines: [{ ref: "a" }], note: null } : {}),
    }));
    const request = await storeLines(
      documents.map((one) => line("sto_a", "cart.carts", one)),
      4_000,
    );
    const files = await archive(request);
    const [header = [], ...rows] = parse(strFromU8(files["live/cart.carts.csv"] ?? new Uint8Array()));
    const columns = [...new Set(documents.flatMap((one) => Object.keys(flat(one))))].slice(0, 1_000);
    expect(header).toEqual([...columns, "more_members"]);
    const read = rows.map((row) => {
      const cells = row.flatMap((cell, index) => (cell === "" ? [] : [[header[index] ?? "", cell] as const]));
      const { more_members: more = "{}", ...named } = Object.fromEntries(cells);
      return { ...named, ...JSON.parse(more) };
    });
    expect(read).toEqual(
      documents.map(({ metadata, ...rest }) => ({
        ...rest,
        ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value])),
      })),
    );
    expect(strFromU8(files["live/cart.carts.json"] ?? new Uint8Array())).toBe(
      `${JSON.stringify(documents, null, 2)}\n`,
    );
  });

  it("is made in short turns where each document has other members", async () => {
    const request = await storeLines(
      Array.from({ length: 400 }, (_unused, n) => {
        const keys = Array.from({ length: 50 }, (_key, k) => [`${n}_${k}`.padEnd(40, "x"), ""]);
        return line("sto_a", "cart.carts", { id: `crt_${n}`, metadata: Object.fromEntries(keys) });
      }),
      60_000,
    );
    const longest = await longestOf(
      () => undefined,
      async () => {
        const body = await archiveOf(world.harness.services.runTx, world.part, request);
        for await (const _chunk of body) continue;
      },
    );
    expect(longest).toBeLessThan(TURN_MS);
  }, 120_000);

  it("leaves out a line that was cut where the export reached its limit", async () => {
    const lines = Array.from({ length: 30 }, (_unused, n) =>
      line("sto_a", "forms.submissions", documentOf(n)),
    );
    const request = await storeLines(lines, 1_000);
    const parts = request.parts - 1;
    const whole = `${lines.join("\n")}\n`.slice(0, parts * 1_000).split("\n").length - 1;
    const files = await archive({ ...request, parts });
    const documents = JSON.parse(strFromU8(files["live/forms.submissions.json"] ?? new Uint8Array()));
    expect(whole).toBeLessThan(30);
    expect(documents).toHaveLength(whole);
  });

  it("is made as it is read", async () => {
    const noise = (n: number) => createHash("sha256").update(String(n)).digest("hex").repeat(100);
    const lines = Array.from({ length: 1_500 }, (_unused, n) =>
      line("sto_a", "forms.submissions", { n, text: `${n} ${noise(n)}` }),
    );
    const request = await storeLines(lines, 60_000);
    const { runTx } = world.harness.services;
    let reads = 0;
    const counting: typeof runTx = (...args) => {
      reads += 1;
      return runTx(...args);
    };
    const body = await archiveOf(counting, world.part, request);
    const outlined = reads;
    const reader = body.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reads - outlined).toBeLessThan(outlined);
    await reader.cancel();
  });
});

it("an export of more than one commit holds of a page is completed", async () => {
  const { runTx } = world.harness.services;
  for (let start = 0; start < 160; start += 40) {
    await runTx(world.part, async (tx) => {
      for (let n = start; n < start + 40; n += 1) {
        tx.create(storeMails, {
          id: `ltr_${String(n).padStart(26, "0")}`,
          to: ADA.email.toLowerCase(),
          template: "engine-message",
          data: { subject: `No. ${n}`, text: `"quoted" `.repeat(1_200) },
          created_at: "2026-06-01T09:00:00.000Z",
          state: "kept",
        });
      }
    });
  }
  const { id } = await world.make("/account/privacy-requests", { type: "export", email: ADA.email });
  await world.work();
  const request = await world.make(`/account/privacy-requests/${id}`, undefined, { method: "GET" });
  expect(request.status).toBe("done");
  const { version: _version, ...value } = request;
  const files = await archive(PrivacyRequest.parse(value));
  const mails: { id: string }[] = JSON.parse(
    strFromU8(files["live/kernel.letters.json"] ?? new Uint8Array()),
  );
  expect(mails.map((mail) => mail.id)).toEqual([...new Set(mails.map((mail) => mail.id))]);
  expect(mails.length).toBeGreaterThanOrEqual(160);
});
