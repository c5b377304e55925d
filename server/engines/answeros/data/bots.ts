import { z } from "zod";

import bots from "./bots.json" with { type: "json" };

/** A crawler of an answer engine or of a search engine that feeds one. */
const Bot = z.strictObject({
  /** Name in robots.txt. */
  name: z.string(),
  vendor: z.string(),
  /** `training` collects for models, `search` for an index, `user` fetches on behalf of a person. */
  purpose: z.enum(["training", "search", "user"]),
  /** Substring of its user agent; null for a token that exists only in robots.txt and is never sent. */
  agent_token: z.string().nullable(),
  /** Whether its operator states that it obeys robots.txt. */
  obeys_robots: z.boolean(),
  source: z.string(),
});
export type Bot = z.output<typeof Bot>;

/** When the table was last compared with the operators' pages. */
export const BOTS_AS_OF = "2026-11-21";

/** Training, search and fetching on behalf of a person are separate: disallowing one does not affect the others. */
export const BOTS: readonly Bot[] = z.array(Bot).parse(bots);

/** The crawlers that must be allowed for a page to be found and quoted (check A3 of the score). */
export const ANSWER_BOTS = [
  "Googlebot",
  "Bingbot",
  "OAI-SearchBot",
  "PerplexityBot",
  "Claude-SearchBot",
] as const;
