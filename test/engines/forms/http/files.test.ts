import { createHash } from "node:crypto";

import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Ports } from "../../../../server/core/ports.ts";
import { rescanFiles, sweepFiles, sweepSubmissions } from "../../../../server/engines/forms/jobs.ts";
import { contents, files } from "../../../../server/engines/forms/repository.ts";
import { ConfigSchema } from "../../../../server/config/schema.ts";
import { onWorkerTaskEnd } from "../../../../server/lib/worker-tasks.ts";
import { HEIC, PNG } from "../files.ts";
import { createShop, plain, refusal, SHOP } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let id: string;
beforeAll(async () => {
  shop = await createShop();
  id = await shop.form(
    plain({
      fields: [
        { key: "name", type: "name", label: "Name", required: true },
        { key: "photos", type: "file", label: "Photos", max_files: 2 },
        { key: "menu", type: "file", label: "Menu", accept: ["pdf"], max_bytes: 2_000_000 },
      ],
    }),
  );
});
afterAll(() => shop.harness.close());

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64");
const upload = (name: string, bytes: Uint8Array | string, field = "photos") =>
  shop.page("POST", `/${id}/uploads`, { field, file: { name, content: base64(bytes) } });

/** Sends a file as a browser does. */
async function multipart(name: string, bytes: Uint8Array): Promise<Response> {
  const body = new FormData();
  body.append("field", "photos");
  body.append("file", new File([new Uint8Array(bytes)], name));
  return shop.harness.app.fetch(
    new Request(`http://platform.test/v1/forms/${id}/uploads`, {
      method: "POST",
      headers: { authorization: `Bearer ${shop.pub.plaintext}`, origin: SHOP },
      body,
    }),
  );
}

describe("uploads", () => {
  it("refuses a file that the store has no room for with 409, and keeps none of it", async () => {
    const plans = [
      { id: "free", requestsPerMinute: 60 },
      { id: "enterprise", requestsPerMinute: 6_000, megabytesPerStore: 1 },
    ];
    const small = await createShop({ config: { plans: ConfigSchema.parse({ plans }).plans } });
    try {
      const form = await small.form(plain({ fields: [{ key: "menu", type: "file", label: "Menu" }] }));
      const { store } = small.harness;
      const part = small.key.storeId.toLowerCase();
      for (const id of ["1", "2"])
        await store.commit(part, [{ put: `${part}:filler:${id}`, value: `"${"x".repeat(130_000)}"` }]);
      const before = await store.usage(part);
      const content = base64(Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(600_000, "x")]));
      const answer = await small.page("POST", `/${form}/uploads`, {
        field: "menu",
        file: { name: "menu.pdf", content },
      });
      expect([answer.status, answer.json.error.code]).toEqual([409, "quota_exceeded"]);
      expect(await store.usage(part)).toEqual(before);
    } finally {
      await small.harness.close();
    }
  });

  it("tells a picture by its bytes, and gives it out under a name of ours alone", async () => {
    const answer = await upload("../../menu.pdf", PNG);
    expect(answer.status, answer.text).toBe(201);
    const file = answer.json.data;
    expect(file).toMatchObject({ name: "menu.pdf", mime: "image/png", scan: "skipped", field: "photos" });
    expect((await shop.call("GET", `/files/${file.id}`)).status).toBe(404);
    const sent = await shop.send(id, { name: "Ada", photos: [file.id] });
    expect(sent.status, sent.text).toBe(201);
    const { files: kept } = await shop.read(`/${id}/submissions/${sent.json.data.id}`);
    expect(kept).toMatchObject([{ id: file.id, sha256: file.sha256, name: "menu.pdf" }]);
    const got = await shop.call("GET", `/files/${file.id}`);
    expect(got.headers.get("content-disposition")).toBe(`attachment; filename="${file.id}.png"`);
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    expect(refusal(await shop.page("GET", `/files/${file.id}`))).toBe("403 insufficient_scope");
    const again = await shop.send(id, { name: "Eve", photos: [file.id] });
    expect(refusal(again)).toBe("422 invalid_answers");
  });

  it("keeps a large picture whole over many pieces, and without the place it was taken at", async () => {
    const noise = Buffer.alloc(700 * 700 * 3);
    for (let at = 0; at < noise.length; at += 1) noise[at] = (at * 2_654_435_761) >>> 24;
    const photo = await sharp(noise, { raw: { width: 700, height: 700, channels: 3 } })
      .withExif({ IFD3: { GPSLatitude: "51/1 32/1 0/1" } })
      .jpeg({ quality: 95 })
      .toBuffer();
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    expect(photo.length).toBeGreaterThan(200_000);
    const response = await multipart("holiday.jpg", photo);
    expect(response.status).toBe(201);
    const { data: file } = JSON.parse(await response.text());
    const sent = await shop.send(id, { name: "Ada", photos: [file.id] });
    expect(sent.status).toBe(201);
    const download = await shop.harness.app.fetch(
      new Request(`http://platform.test/v1/forms/files/${file.id}`, {
        headers: { authorization: `Bearer ${shop.key.plaintext}` },
      }),
    );
    const bytes = Buffer.from(await download.arrayBuffer());
    expect(bytes.length).toBe(file.bytes);
    const shown = await sharp(bytes).metadata();
    expect([shown.width, shown.height, shown.exif]).toEqual([700, 700, undefined]);
  });

  it("re-encodes pictures in worker threads, in turns of the stores, and refuses those of too many pixels", async () => {
    const flat = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: "green" } })
        .webp()
        .toBuffer();
    const [small, large] = await Promise.all([flat(300), flat(5_100)]);
    const ends: string[] = [];
    const stop = onWorkerTaskEnd(({ task }) => ends.push(task));
    const statuses = await Promise.all(
      [small, small, large].map(async (picture) => (await multipart("flat.webp", picture)).status),
    );
    stop();
    expect(statuses).toEqual([201, 201, 422]);
    expect(ends.toSorted()).toEqual(["images.redraw", "images.type"].flatMap((task) => [task, task, task]));
  });

  it("takes the place out of a HEIC picture, and refuses one that it cannot read for that", async () => {
    shop.harness.clock.advance(61_000);
    const { data: file } = (await upload("IMG_1.HEIC", HEIC)).json;
    expect(file).toMatchObject({ mime: "image/heic", bytes: HEIC.length });
    expect(file.sha256).not.toBe(createHash("sha256").update(HEIC).digest("hex"));
    const piece = await shop.harness.services.runTx(shop.part, (tx) =>
      tx.require(contents.chunks, `${file.id}.0`),
    );
    expect(atob(piece.value.data)).not.toMatch(/Camera|Bristol/);
    const refused = await upload("IMG_2.HEIC", HEIC.slice(0, 600));
    expect(refusal(refused)).toBe("422 file_refused");
    expect(refused.json.error.errors[0].pointer).toBe("#/content");
  });

  it.each([
    ["page.html", "<!doctype html><script>alert(1)</script>"],
    ["logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ["logo.png", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ["menu.txt", "MZ\u0090\u0000"],
    ["guests.csv", "a,<b>\n"],
  ])("refuses %s", async (name, text) => {
    shop.harness.clock.advance(61_000);
    expect(refusal(await upload(name, text))).toBe("422 file_refused");
  });

  it("refuses broken pictures, other kinds than the field takes, empty and large ones", async () => {
    shop.harness.clock.advance(61_000);
    expect(refusal(await upload("a.png", PNG.slice(0, 40)))).toBe("422 file_refused");
    expect(refusal(await upload("a.png", PNG, "menu"))).toBe("422 file_refused");
    expect((await upload("a.txt", "")).status).toBe(422);
    expect((await upload("a.txt", "x", "name")).status).toBe(422);
    const large = new Uint8Array(10_485_761);
    large.set(PNG);
    expect((await multipart("a.png", large)).status).toBe(413);
  });

  it("forgets what nobody sent within the hour, and the pieces of what was erased", async () => {
    shop.harness.clock.advance(61_000);
    const { id: waiting } = (await upload("a.txt", "soup")).json.data;
    const { id: used } = (await upload("b.txt", "soup")).json.data;
    const sent = await shop.send(id, { name: "Ada", photos: [used] });
    await shop.call("DELETE", `/${id}/submissions/${sent.json.data.id}`);
    const pieces = async (fileId: string): Promise<boolean> =>
      shop.harness.services.runTx(
        shop.part,
        async (tx) => (await tx.get(contents.chunks, `${fileId}.0`)) !== null,
      );
    expect((await shop.call("GET", `/files/${used}`)).status).toBe(404);
    await shop.run(sweepFiles);
    expect([await pieces(waiting), await pieces(used)]).toEqual([true, false]);
    shop.harness.clock.advance(3_600_000);
    await shop.run(sweepFiles);
    expect(await pieces(waiting)).toBe(false);
    const late = await shop.send(id, { name: "Ada", photos: [waiting] });
    expect(late.json.error.errors[0].pointer).toBe("#/data/photos");
  });

  it("belong to the address that a sender corrects: an erasure of its data finds them", async () => {
    shop.harness.clock.advance(61_000);
    const until = new Date(shop.harness.clock.now() + 3_600_000).toISOString();
    const form = await shop.form(
      plain({
        fields: [
          { key: "email", type: "email", label: "E-mail", required: true },
          { key: "photos", type: "file", label: "Photos", max_files: 2 },
        ],
        settings: { allow_edit_until: until },
      }),
    );
    const uploaded = async (): Promise<string> => {
      const file = { name: "a.txt", content: base64("soup") };
      return (await shop.page("POST", `/${form}/uploads`, { field: "photos", file })).json.data.id;
    };
    const [first, second] = [await uploaded(), await uploaded()];
    const sent = await shop.send(form, { email: "ada@ofice.example", photos: [first] });
    const { id: sid, resume_token } = sent.json.data;
    const edited = await shop.page("PATCH", `/${form}/submissions/${sid}`, {
      resume_token,
      data: { email: "ada@office.example", photos: [first, second] },
    });
    expect(edited.status, edited.text).toBe(200);
    const subjects = await shop.harness.services.runTx(shop.part, async (tx) =>
      (await tx.getAll(files, [first, second])).map((file) => file && files.personal?.subjects(file.value)),
    );
    expect(subjects).toEqual([["ada@office.example"], ["ada@office.example"]]);
  });

  it("states what is wrong with an upload that cannot be sent: used, or of another form or field", async () => {
    const english = await shop.form(
      plain({
        fields: [
          { key: "photo", type: "file", label: "Photo" },
          { key: "menu", type: "file", label: "Menu" },
        ],
      }),
    );
    const german = await shop.form(
      plain({ fields: [{ key: "photo", type: "file", label: "Foto" }], locales: ["de-DE"] }),
    );
    shop.harness.clock.advance(61_000);
    const file = { name: "a.txt", content: base64("soup") };
    const sent = await shop.page("POST", `/${english}/uploads`, { field: "photo", file });
    const uploaded = sent.json.data.id;
    const faultOf = async (form: string, data: object): Promise<unknown> => {
      const { json } = await shop.send(form, data);
      return json.error.errors[0];
    };
    expect(await faultOf(english, { menu: [uploaded] })).toEqual({
      pointer: "#/data/menu",
      detail: "The file was uploaded for another field or form. Choose it again here.",
    });
    expect(await faultOf(german, { photo: [uploaded] })).toEqual({
      pointer: "#/data/photo",
      detail:
        "Die Datei wurde für ein anderes Feld oder Formular hochgeladen. Wählen Sie sie hier noch einmal aus.",
    });
    expect((await shop.send(english, { photo: [uploaded] })).status).toBe(201);
    expect(await faultOf(english, { photo: [uploaded] })).toEqual({
      pointer: "#/data/photo",
      detail: "The file was sent with another submission. Choose it again to send it with this one.",
    });
    expect(await faultOf(english, { photo: ["upl_none"] })).toEqual({
      pointer: "#/data/photo",
      detail: "The upload does not exist or has expired. Choose the file again.",
    });
  });

  const rescan = (scan: NonNullable<Ports["scan"]>) => shop.run(rescanFiles, { scan });

  it("are scanned also behind twenty that the scanner cannot read", async () => {
    shop.harness.clock.advance(61_000);
    const { id: fileId } = (await upload("a.txt", "soup")).json.data;
    await shop.send(id, { name: "Ada", photos: [fileId] });
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const stored = await tx.require(files, fileId);
      const pending = { ...stored.value, scan: "pending" as const };
      tx.put(files, stored, pending);
      for (let n = 0; n < 20; n += 1)
        tx.create(files, { ...pending, id: `upl_Z${String(n).padStart(25, "0")}`, chunks: 0 });
    });
    await rescan((bytes) => Promise.resolve(bytes.length > 0 ? "clean" : "pending"));
    expect((await shop.call("GET", `/files/${fileId}`)).status).toBe(200);
  });

  it("gives out nothing that a scanner has not cleared", async () => {
    shop.harness.clock.advance(61_000);
    const { id: fileId } = (await upload("a.txt", "soup")).json.data;
    await shop.send(id, { name: "Ada", photos: [fileId] });
    const scan = (verdict: "pending" | "infected") =>
      shop.harness.services.runTx(shop.part, async (tx) => {
        const stored = await tx.require(files, fileId);
        tx.put(files, stored, { ...stored.value, scan: verdict });
      });
    for (const verdict of ["pending", "infected"] as const) {
      await scan(verdict);
      expect(refusal(await shop.call("GET", `/files/${fileId}`))).toBe("409 file_not_cleared");
    }
    await scan("pending");
    expect(await shop.run(rescanFiles)).toEqual({ scanned: 0 });
    await rescan(() => Promise.resolve("clean"));
    expect((await shop.call("GET", `/files/${fileId}`)).text).toBe("soup");
  });
});

describe("uploads of a partial submission", () => {
  const open = async () => {
    const form = await shop.form(
      plain({
        fields: [
          { key: "email", type: "email", label: "E-mail" },
          { key: "photos", type: "file", label: "Photos" },
        ],
        settings: { allow_partial: true },
      }),
    );
    const send = async (): Promise<string> => {
      shop.harness.clock.advance(61_000);
      const body = { field: "photos", file: { name: "cake.png", content: base64(PNG) } };
      return (await shop.page("POST", `/${form}/uploads`, body)).json.data.id;
    };
    const file = await send();
    const data = { email: "ada@office.example", photos: [file] };
    const { data: partial } = (await shop.send(form, data, { partial: true })).json;
    const path = `/${form}/submissions/${partial.id}`;
    const change = (more: object) =>
      shop.page("PATCH", path, { resume_token: partial.resume_token, ...more });
    return { file, path, change, send };
  };
  const stateOf = async (file: string) =>
    (await shop.harness.services.runTx(shop.part, (tx) => tx.get(files, file)))?.value.state;
  const sweep = async () => {
    await shop.run(sweepSubmissions);
    await shop.run(sweepFiles);
  };

  it("stay as long as its answers, and are sent with them", async () => {
    const { file, path, change } = await open();
    shop.harness.clock.advance(5 * 86_400_000);
    await sweep();
    const done = await change({ complete: true });
    expect(done.status, done.text).toBe(200);
    expect((await shop.read(path)).files).toMatchObject([{ id: file, name: "cake.png" }]);
    expect((await shop.call("GET", `/files/${file}`)).status).toBe(200);
  });

  it("go with it, and where another one replaces them", async () => {
    const { file, path, change, send } = await open();
    const other = await send();
    expect((await change({ data: { photos: [other] } })).status).toBe(200);
    await sweep();
    expect([await stateOf(file), await stateOf(other)]).toEqual([undefined, "waiting"]);
    await shop.call("DELETE", path);
    await sweep();
    expect(await stateOf(other)).toBeUndefined();
    const { file: late } = await open();
    shop.harness.clock.advance(8 * 86_400_000);
    await sweep();
    expect(await stateOf(late)).toBeUndefined();
  });
});
