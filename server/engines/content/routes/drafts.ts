import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { drafts } from "../repository.ts";
import { Draft } from "../schema.ts";

const example: z.input<typeof Draft> = {
  id: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  kind: "post",
  status: "draft",
  title: "How we keep a sourdough starter",
  slug: "keep-a-sourdough-starter",
  locale: "en-GB",
  body_format: "markdown",
  body: "Feed it daily.",
  excerpt: "",
  tags: ["bread"],
  scheduled_at: null,
  published_at: null,
  revision: 1,
  word_count: 3,
};

export const listDrafts = defineRoute({
  id: "content.drafts.list",
  method: "GET",
  path: "/drafts",
  summary: "Drafts, newest first",
  query: ListQuery,
  data: z.array(withVersion(Draft)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(drafts, query)),
});
