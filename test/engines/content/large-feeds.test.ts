import { expect, it, vi } from "vitest";

import { onWorkerTaskEnd } from "../../../server/lib/worker-tasks.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { createBlog } from "./blog.ts";
import type { Blog } from "./blog.ts";

async function publish(blog: Blog, post: { title: string; body: string }): Promise<void> {
  const { id } = await blog.must("POST", "/drafts", post);
  await blog.must("POST", `/drafts/${id}/publish`);
}

// 48 requests of one customer parsed 240 posts of 144 KB.
it("parses the bodies of a feed where it is written", async () => {
  const blog = await createBlog();
  await publish(blog, { title: "Long", body: "Rye. ".repeat(12_000) });
  const parse = vi.spyOn(JSON, "parse");
  const feed = await blog.get("/feeds/rss");
  const parsed = parse.mock.calls.filter(([text]) => text.length > 50_000 && text.startsWith("{")).length;
  parse.mockRestore();
  expect(parsed).toBe(0);
  expect(feed.text.split("Rye.").length).toBeGreaterThan(12_000);
  await blog.harness.close();
});

it("writes a feed once for all that ask for it meanwhile, and again after a change", async () => {
  const blog = await createBlog();
  await publish(blog, { title: "Long", body: "Rye. ".repeat(12_000) });
  let written = 0;
  const stop = onWorkerTaskEnd(({ task }) => (written += Number(task === "content.feed")));
  const read = async (): Promise<string> => {
    const feeds = await Promise.all(many(8, () => blog.get("/feeds/rss")));
    expect(new Set(feeds.map(({ text }) => text)).size).toBe(1);
    return feeds[0]?.text ?? "";
  };
  const before = await read();
  expect(written).toBe(1);
  await publish(blog, { title: "Short", body: "Spelt." });
  const after = await read();
  expect(written).toBe(2);
  expect([before, after].map((text) => text.includes("Spelt."))).toEqual([false, true]);
  stop();
  await blog.harness.close();
});

// Each was written in one piece, and those of sixteen requests one after the other in one turn.
it("writes feeds of long posts without keeping the process from others", async () => {
  const blog = await createBlog();
  for (let n = 0; n < 5; n += 1)
    await publish(blog, { title: `Long ${n}`, body: 'Rye & "malt".\n\n'.repeat(6_500) });
  const path = `/api/public/stores/${blog.key.storeId.toLowerCase()}/content/rss`;
  const longest = await longestOf(
    () => blog.harness.clock.advance(60_000),
    async () => {
      const answers = await Promise.all(many(16, () => blog.harness.call("GET", path)));
      for (const { status, text } of answers) expect([status, text.length > 400_000]).toEqual([200, true]);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
  await blog.harness.close();
}, 180_000);
