import type { z } from "zod";

import type { Draft, Post, Revision } from "../schema/draft.ts";
import { NO_SEO } from "../schema/draft.ts";

const at = "2026-06-01T09:00:00.000Z";
export const IDS = {
  draft: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  article: "art_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  generation: "gen_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  revision: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  score: "scr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  key: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
} as const;

const times = { created_at: at, updated_at: at };

export const exampleContent = {
  title: "How we keep a sourdough starter",
  slug: "keep-a-sourdough-starter",
  locale: "en-GB",
  body_format: "markdown",
  body: "Feed your sourdough starter daily. Keep it warm.",
  excerpt: "",
  author: { id: "ada", name: "Ada Baker", url: null },
  tags: ["bread"],
  category: null,
  cover: null,
  seo: { ...NO_SEO, focus_keyphrase: "sourdough starter" },
  cornerstone: false,
} satisfies z.input<typeof Revision>["content"];

export const exampleDraft = {
  id: IDS.draft,
  ...times,
  created_by: IDS.key,
  updated_by: IDS.key,
  kind: "post",
  planned_for: null,
  article_id: null,
  external: null,
  metadata: {},
  status: "draft",
  ...exampleContent,
  scheduled_at: null,
  published_at: null,
  unpublished_at: null,
  late_seconds: null,
  published_url: null,
  revision: 1,
  pending_revision: null,
  last_revision: 1,
  word_count: 8,
  reading_minutes: 1,
  scores: null,
  ai: { generation_ids: [], share: 0, paragraphs: [], disclosed: false, overrides: [] },
  approvals: [],
  change_requests: [],
  version: 1,
} satisfies z.input<typeof Draft> & { version: number };

export const exampleRevision = {
  id: IDS.revision,
  ...times,
  draft_id: IDS.draft,
  number: 1,
  hash: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
  author: IDS.key,
  message: "",
  source: "human",
  word_count: 8,
  content: exampleContent,
  version: 1,
} satisfies z.input<typeof Revision> & { version: number };

export const examplePostPage = {
  id: IDS.draft,
  ...times,
  kind: "post",
  title: exampleContent.title,
  slug: exampleContent.slug,
  locale: "en-GB",
  url: "https://crumb.example/blog/keep-a-sourdough-starter",
  excerpt: "",
  author: { name: "Ada Baker", url: null },
  tags: ["bread"],
  category: null,
  cover: null,
  published_at: at,
  word_count: 8,
  reading_minutes: 1,
  ai_disclosed: false,
  seo: {
    title: null,
    description: null,
    canonical_url: null,
    robots: NO_SEO.robots,
    og: null,
    schema_type: null,
  },
} satisfies z.input<typeof Post>;

export const examplePost = { ...examplePostPage, version: 1 };
