import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { forgetAnswers } from "../../../../server/engines/catering/jobs/forget-answers.ts";
import { createShop, linkIn, NOW, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

const DATE = "2026-06-09";
let shop: Shop;
let source: string;
let link: string;
beforeEach(async () => {
  shop = await createShop();
  source = (await shop.make("/headcount-sources", { title: "Lunch", kind: "rsvp" })).id;
  link = (await shop.read(`/headcount-sources/${source}/group-links/${DATE}`)).url;
});
afterEach(() => shop.harness.close());

/** What the page calls whoever opened it. */
const personOf = (text: string): string => /name="person" value="(\w+)"/.exec(text)?.[1] ?? "";
const ownLink = (text: string): string => /href="(\/api\/public\/rsvp\/[^"]+)"/.exec(text)?.[1] ?? "";
/** Opens the page as somebody new, and answers. */
async function say(form: Readonly<Record<string, string>>) {
  const opened = await shop.visit(link);
  return shop.visit(link, { person: personOf(opened.text), action: "accept", ...form });
}
const answers = () => shop.read(`/headcount-sources/${source}/answers/${DATE}`);

describe("the link of a group", () => {
  it("counts people of one name apart, and each once however often the page is sent", async () => {
    const page = await shop.visit(link);
    expect([page.status, page.text.includes("Tuesday, 9 June 2026"), page.text.includes("<script")]).toEqual([
      200,
      true,
      false,
    ]);
    const form = { person: personOf(page.text), name: "Ada <b>", action: "accept", guests: "1", dietary: "" };
    const first = await shop.visit(link, form);
    expect([first.status, first.text.includes("You are coming.")]).toEqual([200, true]);
    await shop.visit(link, { ...form, guests: "2", dietary: "vegan" });
    await say({ name: "Ada <b>" });
    expect(await answers()).toMatchObject({ count: 4, answered: 2, dietary: [{ code: "vegan", count: 1 }] });
  });

  it("leads on to a link of one's own, by which the answer changes", async () => {
    const own = ownLink((await say({ name: "Ada" })).text);
    const page = await shop.visit(own);
    expect(page.text).toContain("Ada, will you be there?");
    await shop.visit(own, { action: "decline" });
    expect(await answers()).toMatchObject({ count: 0, answered: 1 });
  });

  it("counts an address once, and lets nobody else change or see its answer", async () => {
    const first = await say({ name: "Ada", email: "ada@office.example", dietary: "halal" });
    const twice = await say({ name: "Ada", email: " ADA@office.example", dietary: "halal" });
    expect([twice.text.includes("You have answered."), await shop.mails()]).toEqual([true, []]);
    for (const name of ["Mallory", "Mallet"]) {
      const other = await say({ name, email: "ada@office.example", action: "decline" });
      expect(other.status).toBe(200);
      for (const secret of ["halal", "Ada", "/rsvp/"]) expect(other.text).not.toContain(secret);
    }
    expect(await answers()).toMatchObject({
      count: 1,
      answered: 1,
      people: [{ name: "Ada", email: "ada@office.example" }],
    });
    expect((await shop.mails()).map(({ to }) => to)).toEqual(["ada@office.example"]);
    expect(await linkIn(shop, "catering-rsvp")).toContain(ownLink(first.text));
  });

  it("mails ten people of a day at most: the mails of the shop are left to it", async () => {
    const notes: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const form = { name: `Guest ${n}`, email: `guest${n}@elsewhere.example` };
      await say(form);
      const { text } = await say({ ...form, action: "decline" });
      notes.push(text.includes("is in its mail") ? "mail" : "none");
    }
    expect([notes.indexOf("none"), (await shop.mails()).length]).toEqual([10, 10]);
  });

  it("leaves the answer of somebody who was invited to them", async () => {
    const people = [{ name: "Ben", email: "ben@office.example" }];
    await shop.make(`/headcount-sources/${source}/invitations`, { date: DATE, people });
    await say({ name: "Not Ben", email: "ben@office.example" });
    expect(await answers()).toMatchObject({
      count: 0,
      answered: 0,
      people: [{ name: "Ben", answer: "none" }],
    });
  });

  it.each([
    ["no name", { name: " " }, "Give your name."],
    ["no address", { name: "Ada", email: "ada" }, "That is no e-mail address."],
    ["too many guests", { name: "Ada", guests: "21" }, "Bring 0 to 20 guests."],
  ])("422 for %s, and keeps what was written", async (_, form, text) => {
    const refused = await say({ dietary: "vegan", ...form });
    expect([refused.status, refused.text.includes(text)]).toEqual([422, true]);
    expect(refused.text).toContain('value="vegan"');
    expect(await answers()).toMatchObject({ answered: 0 });
  });

  it("ends with the day, with the source, and is good for nothing else", async () => {
    expect((await shop.visit(link.replace("/group-rsvp/", "/rsvp/"))).status).toBe(404);
    expect((await shop.visit(`${link}x`)).status).toBe(404);
    const { person } = { person: personOf((await shop.visit(link)).text) };
    shop.harness.clock.set("2026-06-10T09:00:00.000Z");
    expect((await shop.visit(link, { person, name: "Ada", action: "accept" })).status).toBe(422);
    shop.harness.clock.set(NOW);
    await shop.patch(`/headcount-sources/${source}`, { status: "archived" });
    expect((await shop.visit(link)).status).toBe(410);
    const api = await shop.make("/headcount-sources", { title: "Till", kind: "api" });
    expect(refusal(await shop.get(`/headcount-sources/${api.id}/group-links/${DATE}`))).toBe(
      "409 invalid_transition",
    );
  });

  it("forgets who came, and what they cannot eat, two months after the day", async () => {
    await say({ name: "Ada", dietary: "peanut allergy" });
    const left = async () => (await answers()).people.length;
    shop.harness.clock.set("2026-08-08T09:00:00.000Z");
    await shop.run(forgetAnswers);
    expect(await left()).toBe(1);
    shop.harness.clock.set("2026-08-10T09:00:00.000Z");
    expect(await shop.run(forgetAnswers)).toEqual({ removed: 1 });
    expect(await left()).toBe(0);
  });
});
