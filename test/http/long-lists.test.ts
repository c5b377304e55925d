import { expect, it } from "vitest";

import { createHarness } from "../harness.ts";

const PATH = "/v1/content/drafts?limit=20";

async function openShop() {
  const harness = await createHarness();
  const key = await harness.key();
  const body = `🥐 ${"Brötchen. ".repeat(2_000)}`;
  for (let n = 0; n < 12; n += 1) {
    const made = await harness.call("POST", "/v1/content/drafts", {
      key,
      body: { title: `Bread ${n}`, body },
    });
    expect(made.status).toBe(201);
  }
  return { harness, key, body };
}

it("sends a list beyond 100 KB as it is stored, also to several who ask at once, and after a change", async () => {
  const { harness, key, body } = await openShop();
  const answers = await Promise.all(Array.from({ length: 5 }, () => harness.call("GET", PATH, { key })));
  for (const { json } of answers) {
    expect(json.data).toHaveLength(12);
    for (const draft of json.data) expect(draft).toMatchObject({ body, version: expect.any(Number) });
    expect(json.meta.pagination).toMatchObject({ limit: 20, has_more: false });
  }
  expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(1);
  expect(new Set(answers.map(({ json }) => json.meta.request_id)).size).toBe(5);

  const etag = answers[0]?.headers.get("etag") ?? "";
  const again = await harness.call("GET", PATH, { key, headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  const id = answers[0]?.json.data[0].id;
  await harness.call("PATCH", `/v1/content/drafts/${id}`, { key, body: { title: "Rye" } });
  const changed = await harness.call("GET", PATH, { key, headers: { "if-none-match": etag } });
  expect(changed.status).toBe(200);
  expect(changed.json.data.map(({ title }: { title: string }) => title)).toContain("Rye");
});

it("answers HEAD with the length of the list", async () => {
  const { harness, key } = await openShop();
  const { text } = await harness.call("GET", PATH, { key });
  const head = await harness.app.fetch(
    new Request(`http://platform.test${PATH}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${key.plaintext}` },
    }),
  );
  const length = Number(head.headers.get("content-length"));
  // The number of requests that remain has as many digits in both.
  expect(length).toBe(Buffer.byteLength(text));
  expect(await head.text()).toBe("");
});
