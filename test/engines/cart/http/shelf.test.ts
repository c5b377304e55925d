import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bundleStates } from "../../../../server/engines/cart/rules/offer-state.ts";
import { codeOf, createShop, makeOffer, tenOff } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const run = (job: string) => shop.harness.services.jobs.run(job);
const suggest = (more: object = {}) =>
  shop.make("/upsells/suggestions", {
    placement: "cart",
    lines: [{ id: "1", ref: "bread", quantity: 1, unit_price: 420 }],
    ...more,
  });
const refsOf = ({ suggestions }: { suggestions: { ref: string }[] }) => suggestions.map(({ ref }) => ref);

describe("upsells", () => {
  it("are made, changed and shown, and a stale version is refused", async () => {
    const made = await shop.make("/upsells", {
      title: "To spread",
      placement: "cart",
      refs: ["butter", "jam"],
    });
    expect(made).toMatchObject({ cap: 3, active: true, version: expect.any(Number) });
    const changed = await shop.make(`/upsells/${made.id}`, { cap: 1 }, "PATCH");
    expect(changed.cap).toBe(1);
    const stale = await shop.call(
      "PATCH",
      `/upsells/${made.id}`,
      { cap: 2 },
      { "if-match": `"${made.version}"` },
    );
    expect(codeOf(stale)).toBe("412");
    expect((await shop.read("/upsells")).map(({ id }: { id: string }) => id)).toEqual([made.id]);
    expect(refsOf(await suggest())).toEqual(["butter"]);
    expect(codeOf(await shop.call("GET", "/upsells/ups_00000000000000000000000000"))).toBe("404");
    await shop.make(`/upsells/${made.id}`, { active: false }, "PATCH");
    expect(refsOf(await suggest())).toEqual([]);
  });

  it("leave out what was shown often and never taken, and come back once it is", async () => {
    const customer = { id: "cleo" };
    const made = await shop.make("/upsells", { title: "Sweet", placement: "checkout", refs: ["cake"] });
    const ask = () => suggest({ placement: "checkout", customer });
    const note = (type: string) =>
      shop.make("/upsells/events", { customer_id: "cleo", type, refs: ["cake"] });
    for (let shown = 0; shown < 6; shown += 1) {
      expect([shown, refsOf(await ask())]).toEqual([shown, ["cake"]]);
      expect(await note("shown")).toEqual({ noted: 1 });
    }
    expect((await ask()).left_out).toMatchObject([{ ref: "cake" }]);
    await note("accepted");
    expect(refsOf(await ask())).toEqual(["cake"]);
    await shop.make(`/upsells/${made.id}`, { active: false }, "PATCH");
  });

  it("learn from orders what is bought together", async () => {
    await shop.make("/upsells", { title: "Together", placement: "post_purchase", source: "auto" });
    const line = (ref: string) => ({ ref, title: ref, quantity: 1, unit_price: 100 });
    for (let order = 0; order < 12; order += 1) {
      const lines = order < 8 ? [line("bread"), line("oil")] : [line("soap"), line("towel")];
      const cart = await shop.make(
        `/carts/bought-${order}`,
        {
          sequence: 1,
          customer: {},
          consent: { basis: "none" },
          lines,
          total: 200,
          currency: "GBP",
          checkout_url: "https://shop.example/c",
        },
        "PUT",
      );
      await shop.make(`/carts/${cart.id}/convert`, { order_ref: `o-${order}`, total: 200 });
    }
    const first = await run("cart.learn-affinities");
    expect(first.counts).toMatchObject({ orders: 12, forgotten: 0 });
    expect(refsOf(await suggest({ placement: "post_purchase" }))).toEqual(["oil"]);
    shop.harness.clock.advance(181 * 86_400_000);
    expect((await run("cart.learn-affinities")).counts).toMatchObject({
      orders: 0,
      products: 0,
      forgotten: 2,
    });
    expect(refsOf(await suggest({ placement: "post_purchase" }))).toEqual([]);
  });
});

describe("codes in bulk", () => {
  it("are made once each, however often the job runs, and each works once", async () => {
    const offer = await makeOffer(shop, { trigger: "code" });
    const answer = await shop.call("POST", `/offers/${offer.id}/codes`, { count: 250, prefix: "summer-" });
    expect(answer.status).toBe(202);
    const batch = answer.json.data;
    expect((await run("cart.make-codes")).counts).toEqual({ made: 250 });
    expect((await run("cart.make-codes")).counts).toEqual({ made: 0 });
    expect(await shop.read(`/code-batches/${batch.id}`)).toMatchObject({ made: 250, state: "done" });
    const codes: { code: string; used_by: string | null }[] = await shop.read(
      `/offers/${offer.id}/codes?limit=100`,
    );
    expect(codes.every(({ code }) => /^SUMMER-[0-9A-Z]{12}$/.test(code))).toBe(true);
    const [one] = codes;
    const evaluation = await shop.make("/evaluations", {
      lines: [{ id: "1", ref: "bread", quantity: 1, unit_price: 1000 }],
      codes: [one?.code],
    });
    expect(evaluation.totals).toMatchObject({ discount: 100 });
    expect(codeOf(await shop.call("GET", "/code-batches/cbt_00000000000000000000000000"))).toBe("404");
  });

  it("409 for an offer without codes", async () => {
    const automatic = await makeOffer(shop);
    expect(codeOf(await shop.call("POST", `/offers/${automatic.id}/codes`, { count: 1 }))).toMatch(/^409/);
  });
});

describe("time", () => {
  it("begins more offers at once than one commit holds", async () => {
    const starts_at = new Date(shop.harness.clock.now() + 3_600_000).toISOString();
    for (let n = 0; n < 60; n += 1) {
      const offer = await shop.make("/offers", { title: `Later ${n}`, effect: tenOff, starts_at });
      await shop.make(`/offers/${offer.id}/activate`);
    }
    shop.harness.clock.advance(3_600_000);
    expect(await run("cart.keep-time")).toMatchObject({ outcome: "ok", counts: { offers: 60 } });
  });

  it.each([
    ["offers", { effect: tenOff }, "ended"],
    ["bundles", { type: "fixed", components: [{ ref: "pie", qty: 2 }] }, "archived"],
  ])("begins %s at once whose later start is taken back, and ends them", async (kind, terms, ended) => {
    const now = shop.harness.clock.now();
    const inMinutes = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
    const times = { starts_at: inMinutes(60), ends_at: inMinutes(120) };
    const { id } = await shop.make(`/${kind}`, { title: "Soon", ...terms, ...times });
    const change = async (starts_at: string | null) =>
      (await shop.make(`/${kind}/${id}`, { starts_at }, "PATCH")).status;
    expect((await shop.make(`/${kind}/${id}/activate`)).status).toBe("scheduled");
    expect([await change(inMinutes(30)), await change(null)]).toEqual(["scheduled", "active"]);
    shop.harness.clock.advance(120 * 60_000);
    await run("cart.keep-time");
    expect((await shop.read(`/${kind}/${id}`)).status).toBe(ended);
  });

  it("begins and ends offers and bundles by itself", async () => {
    const now = shop.harness.clock.now();
    const inHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
    const offer = await shop.make("/offers", {
      title: "Later",
      effect: tenOff,
      starts_at: inHours(1),
      ends_at: inHours(2),
    });
    const { status } = await shop.make(`/offers/${offer.id}/activate`);
    expect(status).toBe("scheduled");
    const bundle = await shop.make("/bundles", {
      title: "Summer",
      type: "fixed",
      components: [{ ref: "tea", qty: 2 }],
      ends_at: inHours(2),
    });
    await shop.make(`/bundles/${bundle.id}/activate`);
    const statusOf = async () => (await shop.read(`/offers/${offer.id}`)).status;
    await run("cart.keep-time");
    expect(await statusOf()).toBe("scheduled");
    shop.harness.clock.advance(3_600_000);
    expect((await run("cart.keep-time")).counts).toMatchObject({ offers: 1 });
    expect(await statusOf()).toBe("active");
    shop.harness.clock.advance(3_600_000);
    await run("cart.keep-time");
    expect(await statusOf()).toBe("ended");
    const to = (await shop.read(`/bundles/${bundle.id}`)).status;
    expect(bundleStates.moves).toContainEqual({ action: "ends", from: "active", to });
    expect((await run("cart.keep-time")).counts).toEqual({ offers: 0, bundles: 0 });
  });
});

it("an address that wants no mail any more ends all of its carts at once", async () => {
  const cart = (id: string, email: string) =>
    shop.make(
      `/carts/${id}`,
      {
        sequence: 1,
        customer: { email },
        consent: { basis: "consent" },
        lines: [{ ref: "bread", title: "Bread", quantity: 1, unit_price: 100 }],
        total: 100,
        currency: "GBP",
        checkout_url: "https://shop.example/c",
      },
      "PUT",
    );
  const own = [
    await cart("d-1", "dora@shop.example"),
    await cart("d-2", "Dora@shop.example"),
    await cart("d-3", "dora@shop.example"),
  ];
  const other = await cart("e-1", "emil@shop.example");
  await shop.make("/suppressions", { email: "DORA@shop.example" });
  for (const { id } of own) expect((await shop.read(`/carts/${id}`)).status).toBe("suppressed");
  expect((await shop.read(`/carts/${other.id}`)).status).toBe("active");
});

it("says that the page of the checkout needs https", async () => {
  const lines = [{ ref: "bread", title: "Bread", quantity: 1, unit_price: 100 }];
  const cart = { sequence: 1, lines, total: 100, currency: "GBP", checkout_url: "http://localhost:4000/c" };
  const { json, status } = await shop.call("PUT", "/carts/h-1", cart);
  expect([status, json.error.errors]).toEqual([
    422,
    [{ pointer: "#/checkout_url", detail: "Expected an https URL, such as https://shop.example." }],
  ]);
});

const bundleOf = (count: number, prefix = "bread") => ({
  title: "Pick six",
  type: "mix_match",
  components: [],
  groups: [
    {
      name: "Bread",
      refs: Array.from({ length: count }, (_, n) => `${prefix}-${n}`),
      pick_min: 6,
      pick_max: 6,
    },
  ],
  pricing: { kind: "percent_off", value: 1_000 },
});

it("takes as many references of a bundle as one commit can list, and refuses more", async () => {
  const headers = { "idempotency-key": "many-references" };
  expect((await shop.call("POST", "/bundles", bundleOf(180), headers)).status).toBe(201);
  const refused = await shop.call("POST", "/bundles", bundleOf(181));
  expect([refused.status, refused.json.error.errors?.[0]?.detail]).toEqual([
    422,
    "A bundle has at most 180 different references.",
  ]);
});

it("replaces as many references of a bundle as one commit can change, and refuses more", async () => {
  const replace = async (count: number) => {
    const { id } = await shop.make("/bundles", bundleOf(count));
    const headers = { "idempotency-key": `replace-${count}` };
    return shop.call("PATCH", `/bundles/${id}`, { groups: bundleOf(count, "cake").groups }, headers);
  };
  expect((await replace(90)).status).toBe(200);
  const refused = await replace(91);
  expect([refused.status, refused.json.error.errors?.[0]?.detail]).toEqual([
    422,
    "182 references would be added or removed. Change at most 180 at a time.",
  ]);
});

it("refuses to replace more codes than one commit can change", async () => {
  const codesOf = (prefix: string) => Array.from({ length: 50 }, (_, n) => `${prefix}-${n}`);
  const { id } = await shop.make("/offers", {
    title: "Codes",
    trigger: "code",
    effect: tenOff,
    codes: codesOf("SPRING"),
  });
  const refused = await shop.call("PATCH", `/offers/${id}`, { codes: codesOf("SUMMER") });
  expect([refused.status, refused.json.error.type]).toEqual([413, "content_too_large"]);
  expect(refused.json.error.detail).toContain("Split it into several requests.");
  expect((await shop.call("PATCH", `/offers/${id}`, { codes: codesOf("SPRING").slice(0, 20) })).status).toBe(
    200,
  );
});
