import { afterAll, beforeAll, expect, it } from "vitest";

import { namespaces } from "../../../../server/registry.ts";
import { longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createPipeline } from "../../../support/match.ts";
import { box, full, iinf, iloc, infe, pitm, text as bytesOf, u32 } from "../heif.ts";
import { createShop, plain, SHOP } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Files as large as a form takes, or larger, must not keep the event loop from other requests.

let shop: Shop;
let id: string;
let page: string;
beforeAll(async () => {
  shop = await createShop();
  const fields = [{ key: "file", type: "file", label: "File", accept: ["txt", "heic"], max_files: 2 }];
  id = await shop.form(plain({ fields }));
  page = new URL((await shop.read(`/${id}/definition`)).action_url).pathname;
}, 60_000);
afterAll(() => shop.harness.close());

interface Part {
  readonly field: string;
  readonly content: string | Uint8Array;
  readonly name?: string;
}

/** A body as a browser sends it. */
function bodyOf(parts: readonly Part[]): { readonly type: string; readonly body: Uint8Array<ArrayBuffer> } {
  const pieces = parts.flatMap(({ content, field, name }) => [
    `--x\r\nContent-Disposition: form-data; name="${field}"`,
    name === undefined ? "" : `; filename="${name}"\r\nContent-Type: application/octet-stream`,
    "\r\n\r\n",
    content,
    "\r\n",
  ]);
  const bytes = [...pieces, "--x--\r\n"].map((piece) => Buffer.from(piece));
  return { type: "multipart/form-data; boundary=x", body: new Uint8Array(Buffer.concat(bytes)) };
}

const longestPost = (
  path: string,
  parts: readonly Part[],
  status: number,
  { atOnce = 1 }: { readonly atOnce?: number } = {},
): Promise<number> => {
  const { body, type } = bodyOf(parts);
  return longestOf(
    () => {
      shop.harness.clock.advance(3_600_000);
      return many(atOnce, request);
    },
    async (requests) => {
      const answers = requests.map(async (one) => {
        const answer = await shop.harness.app.fetch(one);
        expect([answer.status, await answer.text()]).toEqual([status, expect.any(String)]);
      });
      await Promise.all(answers);
    },
  );

  function request(): Request {
    const headers = { "content-type": type, origin: SHOP, authorization: `Bearer ${shop.pub.plaintext}` };
    // In pieces, as a socket gives it.
    const pieces = Array.from({ length: Math.ceil(body.length / 65_536) }, (_, n) =>
      body.subarray(n * 65_536, (n + 1) * 65_536),
    );
    let next = 0;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise(setImmediate);
        const piece = pieces[next];
        next += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    const init = { method: "POST", headers, body: stream, duplex: "half" };
    return new Request(`http://platform.test${path}`, init);
  }
};

const text = (bytes: number): Buffer => Buffer.alloc(bytes, "Oats, wheat and rye.\n");

it("two files on the page of a form", async () => {
  const parts = ["a.txt", "b.txt"].map((name) => ({ field: "file", name, content: text(4_000_000) }));
  expect(await longestPost(page, parts, 200)).toBeLessThan(TURN_MS);
}, 60_000);

it("large files in several requests at the same time", async () => {
  const parts = ["a.txt", "b.txt"].map((name) => ({ field: "file", name, content: text(9_000_000) }));
  expect(await longestPost(page, parts, 200, { atOnce: 3 })).toBeLessThan(TURN_MS);
}, 120_000);

it("a file of another type and beyond the limit", async () => {
  const content = Buffer.alloc(13_000_000, 1);
  expect(await longestPost(page, [{ field: "file", name: "a.bin", content }], 422)).toBeLessThan(TURN_MS);
}, 60_000);

it("a file that takes long to search for the end", async () => {
  const content = Buffer.alloc(13_000_000, "\r\r\n\n");
  expect(await longestPost(page, [{ field: "file", name: "a.bin", content }], 422)).toBeLessThan(TURN_MS);
}, 60_000);

it("an archive whose entries do not say their lengths", async () => {
  const header = [...bytesOf("PK\u0003\u0004"), 20, 0, 8, ...many(19, () => 0), 1, 0, 0, 0, ...bytesOf("a")];
  const end = [...bytesOf("PK\u0007\b"), ...u32(0), 0x84, 3, 0, 0, ...u32(0)];
  const entry = Buffer.from([...header, ...many(900, () => 0), ...end]);
  const content = Buffer.concat(many(1_000, () => entry));
  expect(await longestPost(page, [{ field: "file", name: "a.txt", content }], 422)).toBeLessThan(TURN_MS);
}, 60_000);

it("a picture of thousands of boxes and items that share their data", async () => {
  const ids = many(4_000, (n) => n + 1);
  const data = many(200_000, () => 7);
  const all = [0, data.length] as const;
  const names = iinf(...ids.map((id) => infe(id, "hvc1")));
  const places = iloc(
    1,
    ids.map((id) => ({ id, method: 1, spans: [all, all] })),
  );
  const boxes = [pitm(1), names, places, box("idat", data), ...ids.map(() => box("free"))];
  const content = new Uint8Array([...box("ftyp", bytesOf("heic"), u32(0)), ...full("meta", 0, ...boxes)]);
  expect(await longestPost(page, [{ field: "file", name: "a.heic", content }], 200)).toBeLessThan(TURN_MS);
}, 60_000);

it("an upload for a form", async () => {
  const parts = [
    { field: "field", content: "file" },
    { field: "file", name: "a.txt", content: text(10_000_000) },
  ];
  expect(await longestPost(`/v1/forms/${id}/uploads`, parts, 201)).toBeLessThan(TURN_MS);
}, 60_000);

it("downloads of a file at the same time", async () => {
  const content = text(10_000_000);
  const { body, type } = bodyOf([
    { field: "field", content: "file" },
    { field: "file", name: "a.txt", content },
  ]);
  const authorization = `Bearer ${shop.key.plaintext}`;
  const uploaded = await shop.harness.app.fetch(
    new Request(`http://platform.test/v1/forms/${id}/uploads`, {
      method: "POST",
      body,
      headers: { "content-type": type, authorization },
    }),
  );
  const { data: file } = await uploaded.json();
  await shop.make(`/${id}/submissions`, { data: { file: [file.id] } });
  // As the server sends it: a Response would copy it.
  const handle = createPipeline(shop.harness.services, namespaces);
  const download = () =>
    handle({
      method: "GET",
      target: `/v1/forms/files/${file.id}`,
      header: (name) => (name === "authorization" ? authorization : undefined),
      stream: () => new ReadableStream<Uint8Array>(),
      body: () => Promise.resolve(new Uint8Array()),
      signal: () => new AbortController().signal,
      peer: null,
    });
  const measured = longestOf(
    () => shop.harness.clock.advance(3_600_000),
    async () => {
      const answers = await Promise.all(many(4, download));
      expect(answers.map(({ status }) => status)).toEqual(many(4, () => 200));
      expect(answers.every((answer) => answer.body instanceof Uint8Array)).toBe(true);
    },
  );
  expect(await measured).toBeLessThan(TURN_MS);
  const { body: downloaded } = await download();
  expect(downloaded instanceof Uint8Array && content.equals(downloaded)).toBe(true);
}, 120_000);

it("413 for fields of more text than an urlencoded form may have", async () => {
  const content = text(2_000_000);
  expect(await longestPost(page, [{ field: "message", content }], 413)).toBeLessThan(TURN_MS);
});
