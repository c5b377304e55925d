import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { onWorkerTaskEnd } from "../../../../server/lib/worker-tasks.ts";
import { readPhotos } from "../../../../server/engines/reviews/services/photos.ts";
import { createShop, publish } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

let count = 0;
/** The path of a sent invitation. */
async function invitation(): Promise<string> {
  count += 1;
  const email = `p${count}@shop.example`;
  const { id } = await shop.make("/invitations", {
    order_id: `order-${count}`,
    email,
    customer_name: "Ada",
    fulfilled_at: "2026-05-01T09:00:00.000Z",
    items: [
      {
        target: { type: "product", id: `loaf-${count}` },
        name: "The loaf",
        url: "https://bakery.example/loaf",
      },
    ],
  });
  await shop.make(`/invitations/${id}/send`);
  const mail = (await shop.mails()).find(({ to }) => to === email);
  return new URL(mail.data.review_url).pathname;
}

/** Sends the form as a browser does. */
async function send(path: string, files: readonly (readonly [string, Uint8Array | string])[]) {
  const body = new FormData();
  for (const [name, value] of [
    ["item", "0"],
    ["rating", "5"],
    ["body", "Crisp, and gone by noon."],
    ["display_name", "Ada"],
  ] as const)
    body.append(name, value);
  for (const [name, bytes] of files)
    body.append("photos", new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name));
  // What a browser sends for an input without a file.
  if (files.length === 0) body.append("photos", new File([], ""));
  return shop.harness.app.fetch(new Request(`http://platform.test${path}`, { method: "POST", body }));
}

const PLACE = { IFD0: { Make: "Camera" }, IFD3: { GPSLatitude: "51/1 30/1 0/1", GPSLatitudeRef: "N" } };
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#8a4b08" } });
const reviewOf = async (at = count) => (await shop.read(`?target_id=loaf-${at}`))[0];
const fetchPhoto = (url: string) =>
  shop.harness.app.fetch(new Request(`http://platform.test${new URL(url).pathname}`));

describe("photos of an invitation", () => {
  it("are stored small and without the place where they were taken, and go with the review", async () => {
    const path = await invitation();
    const jpeg = await picture(3_000, 2_000).withExif(PLACE).jpeg().toBuffer();
    expect((await sharp(jpeg).metadata()).exif?.toString("latin1")).toContain("Camera");
    const sent = await send(path, [
      ["DSC_1.JPG", jpeg],
      ["menu.pdf", await picture(60, 40).png().toBuffer()],
    ]);
    expect(sent.status, await sent.text()).toBe(200);
    const review = await reviewOf();
    expect(review).toMatchObject({
      status: "pending",
      media: [{ type: "image", status: "pending" }, { status: "pending" }],
    });
    const [first] = review.media;
    const shown = await fetchPhoto(first.url);
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const meta = await sharp(new Uint8Array(await shown.arrayBuffer())).metadata();
    expect(meta).toMatchObject({ format: "webp", width: 1_600, height: 1_067 });
    expect([meta.exif, meta.xmp, meta.iptc]).toEqual([undefined, undefined, undefined]);
    await shop.make(`/${review.id}/approve`, {});
    expect((await reviewOf()).media.map(({ status }: { status: string }) => status)).toEqual([
      "published",
      "published",
    ]);
    expect((await fetchPhoto(first.url)).status).toBe(200);
    await shop.make(`/${review.id}/reject`, { reason: "personal_data" });
    expect((await fetchPhoto(first.url)).status).toBe(404);
    const erased = await shop.harness.call("DELETE", `/v1/reviews/${review.id}`, { key: shop.key });
    expect(erased.status).toBe(204);
    expect((await fetchPhoto(first.url)).status).toBe(404);
  });

  it.each([
    ["is no image", [["photo.jpg", "<svg onload=alert(1)>"]], "A photo cannot be read."],
    ["is an SVG", [["photo.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>']], "A photo cannot be read."],
    [
      "is damaged",
      [["photo.png", new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82])]],
      "A photo cannot be read.",
    ],
    [
      "is the fourth",
      [
        ["1", "a"],
        ["2", "b"],
        ["3", "c"],
        ["4", "d"],
      ],
      "Choose at most three photos.",
    ],
  ] as const)("are refused with what was typed where one %s", async (_, files, words) => {
    const refused = await send(await invitation(), files);
    const text = await refused.text();
    expect([refused.status, text.includes(words), text.includes("Crisp, and gone by noon.")]).toEqual([
      422,
      true,
      true,
    ]);
    expect(await reviewOf()).toBeUndefined();
  });

  it.each([
    ["infected", ["form.fault_file_infected"]],
    ["pending", ["review_page.wrong_photo_scan"]],
    ["clean", []],
  ] as const)("with the scanner's answer %s bring %j", async (answer, wrong) => {
    const { newId } = shop.harness.services;
    const content = await picture(20, 20).png().toBuffer();
    const read = await readPhotos(shop.part, { newId, ports: { scan: async () => answer } }, [
      { name: "a.png", content },
    ]);
    expect([read.wrong, read.photos.length]).toEqual([wrong, wrong.length === 0 ? 1 : 0]);
  });

  it("are not read where the link was used or has expired", async () => {
    const photo = [["a.png", await picture(40, 40).png().toBuffer()]] as const;
    const ended: string[] = [];
    const stop = onWorkerTaskEnd(({ task }) => void ended.push(task));
    const path = await invitation();
    expect(await (await send(path, photo)).text()).toContain("Thank you");
    expect(ended).toEqual(["images.type", "images.photo"]);
    const again = await send(path, photo);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("Thank you")]);
    const late = await invitation();
    shop.harness.clock.advance(400 * 86_400_000);
    expect(await (await send(late, photo)).text()).toContain("expired");
    stop();
    expect(ended).toEqual(["images.type", "images.photo"]);
  });

  it("are charged to the customer, and refused alone while half of the budget is used up", async () => {
    const { budgets, store } = shop.harness.services;
    const used = async () => (await store.peek(`budget.cpu.${shop.key.customerId}`))?.count ?? 0;
    const photo = [["a.png", await picture(5_000, 5_000).png().toBuffer()]] as const;
    const before = await used();
    expect((await send(await invitation(), photo)).status).toBe(200);
    expect((await used()) - before).toBeGreaterThan(50);
    await budgets.charge(shop.key.customerId, "cpu", 100_000_000);
    const path = await invitation();
    expect((await send(path, photo)).status).toBe(429);
    expect((await send(path, [])).status).toBe(200);
    shop.harness.clock.advance(3_600_000);
  });

  it("may be left out", async () => {
    const sent = await send(await invitation(), []);
    expect(sent.status, (await sent.text()).replace(/<style>[^]*<\/style>/, "")).toBe(200);
    expect((await reviewOf()).media).toEqual([]);
  });
});

describe("the page of a target", () => {
  it("says who has bought the product, who something else, and how reviews are checked", async () => {
    const customer = { order_id: "b-1", email: "b1@x.example", customer_id: "cus-b1" };
    const bought = [{ target: { type: "product", id: "bought" }, name: "Bought" }];
    const at = shop.harness.services.clock.now();
    const fulfilled_at = new Date(at - 1_000).toISOString();
    await shop.make("/orders", { orders: [{ ...customer, items: bought, fulfilled_at }] });
    const author = { display_name: "Bea", customer_id: "cus-b1" };
    for (const id of ["bought", "another"])
      await publish(shop, { target: { type: "product", id }, order_id: "b-1", author });
    const pageOf = async (id: string, accept = "en") => {
      const path = `/api/public/stores/${shop.part}/reviews/product/${id}`;
      return (await shop.harness.call("GET", path, { headers: { "accept-language": accept } })).text;
    };
    expect(await pageOf("bought")).toContain("Verified purchase");
    expect(await pageOf("another")).toContain("Verified buyer");
    expect(await pageOf("another")).not.toContain("· Verified purchase");
    expect(await pageOf("another", "de")).toContain("Verifizierter Kunde");
    expect(await pageOf("another")).toContain("How reviews are checked");
    expect(await pageOf("another")).toContain("Every customer who bought from us is asked for a review");
  });

  it("says where reviews of other sites were collected", async () => {
    await shop.make("/imports", {
      format: "csv",
      content: "target_id,rating,body,author_name\nshared,4,Seen elsewhere.,Cy\n",
      source_system: "breadhub",
      collection_method: "syndicated",
      dry_run: false,
      defaults: { status: "published" },
    });
    await shop.run("reviews.transfer");
    const path = `/api/public/stores/${shop.part}/reviews/product/shared`;
    expect((await shop.harness.call("GET", path)).text).toContain("Collected by breadhub");
  });

  it("shows published reviews and photos alone, and its badge says the same", async () => {
    const path = await invitation();
    await send(path, [["a.png", await picture(40, 40).png().toBuffer()]]);
    const { id, media } = await reviewOf();
    const base = `/api/public/stores/${shop.part}/reviews/product/loaf-${count}`;
    const get = (at: string) => shop.harness.call("GET", at);
    expect([(await get(base)).status, (await get(`${base}/badge.svg`)).status]).toEqual([404, 404]);
    await shop.make(`/${id}/approve`, {});
    const page = await get(base);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Crisp, and gone by noon.");
    // In a page of another language, what customers wrote is read and laid out as theirs.
    expect(page.text).toMatch(/<p class="pre" dir="auto" lang="[a-z]{2}[^"]*">Crisp/);
    expect(page.text).toContain("Verified purchase");
    expect(page.text).toContain(media[0].url);
    expect(page.text).not.toMatch(/shop\.example|<script/);
    expect(page.headers.get("cache-control")).toContain("max-age");
    const badge = await get(`${base}/badge.svg`);
    const varies = [page.headers.get("vary"), badge.headers.get("vary")];
    expect(varies).toEqual(["Accept-Language", "Origin, Accept-Language"]);
    expect([badge.headers.get("content-type"), badge.text.includes("5 of 5 · 1 review")]).toEqual([
      "image/svg+xml; charset=utf-8",
      true,
    ]);
    await shop.make(`/${id}/reject`, { reason: "off_topic" });
    expect((await get(base)).status).toBe(404);
  });
});
