import { z } from "zod";

import { Instant, LocalDate } from "../../../core/schema.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";

export const FILE_NAMES = ["llms.txt", "llms-full.txt", "robots", "ai-catalog.json"] as const;
export const FileName = z.enum(FILE_NAMES);
export type FileName = z.output<typeof FileName>;

export const FileFinding = z.strictObject({
  code: z.string(),
  severity: z.enum(["error", "warning"]),
  path: z
    .string()
    .meta({ description: "Line (`line 3`) or path (`/entries/0/url`); empty for the whole file" }),
  message: z.string(),
});
export type FileFinding = z.output<typeof FileFinding>;

export const SiteFile = z.strictObject({
  id: FileName,
  updated_at: Instant,
  content: z.string().max(ANSWEROS_LIMITS.fileChars),
  content_type: z.string(),
  origin: z.enum(["generated", "manual"]),
  warnings: z.array(FileFinding),
});
export type SiteFile = z.output<typeof SiteFile>;

const count = z.int().nonnegative();

/** Requests of one crawler on one day. */
export const CrawlerDay = z.strictObject({
  id: z.string(),
  date: LocalDate,
  bot: z.string(),
  hits: count,
  by_status: z.record(z.string(), count),
  paths: z
    .array(z.strictObject({ path: z.string(), status: z.int(), hits: count }))
    .meta({ description: "At most 100, in order of first occurrence" }),
  paths_left_out: count.meta({ description: "Requests for other paths" }),
});
export type CrawlerDay = z.output<typeof CrawlerDay>;

/** The lines that the counts of a crawler on a day contain: none is counted again. */
export const CrawlerPrints = z.strictObject({ id: z.string(), prints: z.string() });
