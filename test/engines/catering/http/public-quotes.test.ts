import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, line, prospect, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const hashIn = (text: string): string => /name="hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? "";
const yes = (text: string, more: Record<string, string> = {}) => ({
  action: "accept",
  hash: hashIn(text),
  name: "Ada Byron",
  email: "ada@office.example",
  agree: "yes",
  ...more,
});

describe("the page of a quote", () => {
  it("shows everything a customer agrees to, and that it was looked at", async () => {
    const { quote, link } = await sendQuote(shop, {
      terms: "Pay within 30 days.",
      dietary: [{ code: "vegan", count: 4 }],
      lines: [
        line(1295, { tax_rate_bps: 2000 }),
        line(500, { title: "Wine", optional: true, selected: false }),
      ],
    });
    const answer = await shop.visit(link);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const shown of [
      "Board lunch",
      "Friday, 19 June 2026",
      "30 guests",
      "£388.50",
      "£64.75",
      "Not included: Wine",
      "4 vegan",
      "£194.25",
      "Pay within 30 days.",
      `value="${quote.hash}"`,
    ]) {
      expect(answer.text).toContain(shown);
    }
    expect(await shop.read(`/quotes/${quote.id}`)).toMatchObject({
      status: "viewed",
      first_viewed_at: "2026-06-01T09:00:00.000Z",
    });
    await shop.visit(link);
    expect(await shop.eventTypes()).toEqual(["quote.sent", "quote.viewed"]);
  });

  it("lets optional lines be put in and left out, without script, and binds the answer to what was shown", async () => {
    const wine = { title: "Wine", optional: true, selected: false };
    const cake = { title: "Cake", optional: true, selected: true };
    const { quote, link } = await sendQuote(shop, {
      lines: [line(1000), line(500, wine), line(200, cake)],
      headcount: { estimate: 10 },
      deposits: [{ bps: 5000, due: { kind: "acceptance" } }],
    });
    const field = (text: string, name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    const press = (text: string, label: string) => {
      const form = text.split("<form").find((part) => part.includes(label)) ?? "";
      return shop.visit(link, {
        action: "choose",
        hash: field(form, "hash"),
        chosen: field(form, "chosen"),
        toggle: field(form, "toggle"),
      });
    };
    const first = (await shop.visit(link)).text;
    expect(first).toContain("Add Wine (+ £50.00)");
    const withWine = (await press(first, "Add Wine")).text;
    expect(withWine).toContain("Remove Wine (− £50.00)");
    expect(withWine).toContain("£170.00");
    const noCake = (await press(withWine, "Remove Cake")).text;
    expect(noCake).toContain("£150.00");
    expect(noCake).toContain("£75.00");
    expect((await shop.read(`/quotes/${quote.id}`)).total).toBe(12_000);
    // The hash of what was sent is not that of what is shown now.
    const chosen = field(noCake.slice(noCake.indexOf("<h2>Accept")), "chosen");
    const last = noCake.slice(noCake.indexOf("<h2>Accept"));
    const stale = await shop.visit(link, yes(last, { hash: quote.hash, chosen }));
    expect(stale.status).toBe(409);
    const done = await shop.visit(link, yes(last, { chosen }));
    expect(done.text).toContain("Accepted by Ada Byron");
    const accepted = await shop.read(`/quotes/${quote.id}`);
    expect(accepted).toMatchObject({ total: 15_000, acceptance: { hash: hashIn(last) } });
    expect(accepted.lines.map(({ selected }: { selected: boolean }) => selected)).toEqual([
      true,
      true,
      false,
    ]);
    expect(accepted.deposit_schedule[0].amount).toBe(7_500);
    // The version that was sent stays as it was; the same answer once more changes nothing.
    expect((await shop.read(`/quotes/${quote.id}/versions/1`)).content.totals.total).toBe(12_000);
    expect((await shop.visit(link, yes(last, { chosen }))).text).toContain("Accepted by Ada Byron");
  });

  it("runs no script, loads nothing, and is neither framed nor kept", async () => {
    const { link } = await sendQuote(shop);
    const { headers, text } = await shop.visit(link);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toContain("no-store");
    expect(text).not.toMatch(/<script|https?:\/\/(?!platform\.test)/);
  });

  it("escapes what people typed", async () => {
    const nasty = `<img src=x onerror="alert(1)">'&`;
    const { link } = await sendQuote(shop, {
      title: nasty,
      terms: nasty,
      prospect: { ...prospect, name: nasty },
      lines: [line(1, { title: nasty })],
      event: { date: "2026-06-19", start: "12:30", end: "14:00", site: nasty },
      dietary: [{ code: nasty, count: 1 }],
    });
    const read = await shop.visit(link);
    const wrong = await shop.visit(link, yes(read.text, { name: nasty, email: nasty }));
    expect(wrong.status).toBe(422);
    for (const { text } of [read, wrong]) {
      expect(text).not.toContain("<img");
      expect(text).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;");
    }
  });

  it("accepts once, however often the button is pressed", async () => {
    const { quote, link } = await sendQuote(shop);
    const read = await shop.visit(link);
    const first = await shop.visit(link, yes(read.text));
    expect(first.status).toBe(200);
    expect(first.text).toContain("Accepted by Ada Byron");
    const again = await Promise.all([1, 2, 3].map(() => shop.visit(link, yes(read.text))));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
    const accepted = await shop.read(`/quotes/${quote.id}`);
    expect(accepted).toMatchObject({
      status: "converted",
      acceptance: { v: 1, hash: quote.hash, name: "Ada Byron", by: "link" },
    });
    expect((await shop.eventTypes()).filter((type) => type === "quote.converted")).toHaveLength(1);
    expect((await shop.visit(link, { action: "decline", hash: hashIn(read.text) })).status).toBe(409);
  });

  it("asks for what is missing, and keeps what was typed", async () => {
    const { quote, link } = await sendQuote(shop);
    const { text } = await shop.visit(link);
    for (const [more, said] of [
      [{ name: " " }, "Type your name."],
      [{ email: "nobody" }, "Type your e-mail address."],
      [{ agree: "" }, "Tick the box"],
    ] as const) {
      const answer = await shop.visit(link, yes(text, more));
      expect([answer.status, answer.text.includes(said)], said).toEqual([422, true]);
    }
    const answer = await shop.visit(link, yes(text, { hash: "0".repeat(64) }));
    expect([answer.status, answer.text.includes("The hash is not that")]).toEqual([409, true]);
    expect((await shop.read(`/quotes/${quote.id}`)).acceptance).toBeNull();
  });

  it("says when there is a newer version, and takes no answer to the old one", async () => {
    const { quote, link } = await sendQuote(shop);
    const { text } = await shop.visit(link);
    await shop.make(`/quotes/${quote.id}/revise`);
    for (const form of [undefined, yes(text), { action: "decline", hash: hashIn(text) }]) {
      const answer = await shop.visit(link, form);
      expect([answer.status, answer.text.includes("newer version")]).toEqual([409, true]);
    }
    await shop.patch(`/quotes/${quote.id}`, { lines: [line(1400)] });
    const second = await shop.make(`/quotes/${quote.id}/send`, {});
    expect(second.current_version).toBe(2);
    expect(second.hash).not.toBe(quote.hash);
    expect((await shop.visit(link, yes(text))).status).toBe(409);
    const old = await shop.read(`/quotes/${quote.id}/versions/1`);
    expect(old).toMatchObject({ hash: quote.hash, content: { totals: { total: 38_850 } } });
  });

  it("says when the quote has ended, at that very instant", async () => {
    const { quote, link } = await sendQuote(shop, { valid_until: "2026-06-12T16:00:00.000Z" });
    shop.harness.clock.set("2026-06-12T15:59:59.999Z");
    const { text, status } = await shop.visit(link);
    expect(status).toBe(200);
    shop.harness.clock.set("2026-06-12T16:00:00.000Z");
    const late = await shop.visit(link, yes(text));
    expect([late.status, late.text.includes("12 June 2026 at 17:00")]).toEqual([410, true]);
    expect((await shop.read(`/quotes/${quote.id}`)).acceptance).toBeNull();
  });

  it("says when the quote was withdrawn or declined", async () => {
    const one = await sendQuote(shop);
    await shop.make(`/quotes/${one.quote.id}/withdraw`, {});
    expect((await shop.visit(one.link)).status).toBe(410);
    const other = await sendQuote(shop);
    const { text } = await shop.visit(other.link);
    const no = { action: "decline", hash: hashIn(text), reason: "Too dear" };
    expect((await shop.visit(other.link, no)).text).toContain("You declined this quote");
    expect((await shop.visit(other.link, no)).status).toBe(200);
    expect((await shop.visit(other.link, yes(text))).status).toBe(409);
    expect((await shop.read(`/quotes/${other.quote.id}`)).closed_reason).toBe("Too dear");
  });

  it("leads nowhere when it was not made here", async () => {
    const { link } = await sendQuote(shop);
    const broken = [
      `${link}x`,
      link.replace(/.$/, (char) => (char === "A" ? "B" : "A")),
      link.slice(0, link.lastIndexOf(".")),
    ];
    for (const wrong of [...broken, "/api/public/quotes/x", "/api/public/approvals/x"]) {
      expect((await shop.visit(wrong)).status, wrong).toBe(404);
    }
  });
});
