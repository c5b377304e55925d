import { expect, it } from "vitest";

import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { createBlog } from "./blog.ts";

// Each was written in one piece, and those of sixteen requests one after the other in one turn.
it("writes feeds of long posts without keeping the process from others", async () => {
  const blog = await createBlog();
  for (let n = 0; n < 5; n += 1) {
    const { id } = await blog.must("POST", "/drafts", {
      title: `Long ${n}`,
      body: 'Rye & "malt".\n\n'.repeat(6_500),
    });
    await blog.must("POST", `/drafts/${id}/publish`);
  }
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
