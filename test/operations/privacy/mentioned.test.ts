import { strFromU8, unzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { postBodies } from "../../../server/engines/content/repository.ts";
import { mailboxes, mailboxId } from "../../../server/engines/reviews/repository.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world.ts";

let world: World;
let form: string;
beforeEach(async () => {
  world = await createWorld();
  const { id } = await world.make("/forms", {
    name: "Catering",
    fields: [
      { key: "name", type: "name", label: "Your name" },
      { key: "email", type: "email", label: "Your e-mail" },
      { key: "guest_email", type: "email", label: "E-mail of the person on site" },
      { key: "message", type: "textarea", label: "Message" },
    ],
    settings: { captcha: "none" },
    quote: { enabled: true, mapping: { message: "message" } },
  });
  await world.make(`/forms/${id}/publish`);
  form = id;
});
afterEach(() => world.harness.close());

const read = (path: string) => world.make(path, undefined, { method: "GET" });
const sent = {
  name: "Ada Privatissima",
  email: "ada@people.example",
  guest_email: "Ben@people.example",
  message: "Ring the bell. ben@people.example or cleo@people.example opens.",
};

async function asked(type: "export" | "erase", email: string) {
  const { id } = await world.make("/account/privacy-requests", { type, email });
  await world.work();
  return read(`/account/privacy-requests/${id}`);
}

describe("a person whom another sender of a form mentions", () => {
  it("is erased from answers and quote requests, which stay those of their sender", async () => {
    const { id } = await world.make(`/forms/${form}/submissions`, { data: sent });
    const { evidence } = await asked("erase", "ben@people.example");
    expect(evidence).toMatchObject({
      left: 0,
      collections: { "forms.submissions": 1, "forms.quote_requests": 1 },
    });
    const left = await read(`/forms/${form}/submissions/${id}`);
    expect(left.contact).toMatchObject({ name: sent.name, email: sent.email });
    expect(left.data).toEqual({
      ...sent,
      guest_email: "erased@erased.invalid",
      message: "Ring the bell. erased@erased.invalid or cleo@people.example opens.",
    });
    const [request] = await read("/forms/quote-requests");
    expect([request.customer.email, request.message]).toEqual([sent.email, left.data.message]);
  });

  it("gets what mentions them, and nothing else of the sender", async () => {
    await world.make(`/forms/${form}/submissions`, { data: sent });
    const { id, evidence } = await asked("export", "ben@people.example");
    expect(evidence.collections).toMatchObject({ "forms.submissions": 1 });
    const answer = await world.harness.app.fetch(
      new Request(`http://platform.test/v1/account/privacy-requests/${id}/export`, {
        headers: { authorization: `Bearer ${world.key.plaintext}` },
      }),
    );
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const text = Object.values(files)
      .map((bytes) => strFromU8(bytes))
      .join("\n");
    const [{ data }] = JSON.parse(strFromU8(files["live/forms.submissions.json"] ?? new Uint8Array()));
    expect(data.guest_email).toBe("Ben@people.example");
    for (const other of [sent.name, sent.email, "cleo@"])
      expect([other, text.includes(other)]).toEqual([other, false]);
  });
});

describe("a person who is known by something else than the address", () => {
  it("is erased from the hash under which the last invitation to them is noted", async () => {
    await world.make("/reviews/orders", {
      orders: [
        {
          order_id: "1042",
          email: "ada@people.example",
          customer_name: "Ada",
          fulfilled_at: "2026-05-30T10:00:00.000Z",
          items: [{ target: { type: "product", id: "cake" }, name: "Cake" }],
        },
      ],
    });
    world.harness.clock.advance(20 * 86_400_000);
    await world.harness.services.jobs.run("reviews.invite");
    const mailbox = () =>
      world.harness.services.runTx(world.part, (tx) => tx.get(mailboxes, mailboxId("ada@people.example")));
    expect(await mailbox()).not.toBeNull();
    const { evidence } = await asked("erase", "ada@people.example");
    expect(evidence).toMatchObject({ left: 0, collections: { "reviews.mailboxes": 1 } });
    expect(await mailbox()).toBeNull();
  });

  it("is no longer the author of a published post, whose draft alone has the address", async () => {
    const author = { id: "ada@people.example", name: "Ada Privatissima" };
    const draft = { title: "Rye", body: "Feed it daily.", author };
    const { id } = await world.make("/content/drafts", draft);
    const other = await world.make("/content/drafts", {
      ...draft,
      title: "Oats",
      author: { id: "ben", name: "Ben" },
    });
    const { id: old } = await world.make("/content/drafts", { ...draft, title: "Wheat" });
    for (const one of [id, other.id, old]) await world.make(`/content/drafts/${one}/publish`);
    // As published by a version that did not store the author's id there.
    await world.harness.services.runTx(world.part, async (tx) => {
      const body = await tx.require(postBodies, old);
      const { author_id: _author, ...rest } = body.value;
      return tx.put(postBodies, body, rest);
    });
    expect((await read("/content/posts/rye")).author.name).toBe(author.name);
    const { evidence } = await asked("erase", author.id);
    expect(evidence.left).toBe(0);
    for (const slug of ["rye", "wheat"]) expect((await read(`/content/posts/${slug}`)).author).toBeNull();
    expect((await read("/content/posts/oats")).author.name).toBe("Ben");
  });
});
