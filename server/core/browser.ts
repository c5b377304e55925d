import { z } from "zod";

import { defineCollection } from "./collection.ts";
import { Instant } from "./schema.ts";
import type { Tx } from "./tx.ts";

/** `https://shop.example` as browsers send it, `*` for any page; no path and no slash at the end. */
const AllowedOrigin = z
  .string()
  .max(300)
  .refine(isOrigin, "Expected an origin such as https://shop.example, or * for any origin.");

function isOrigin(text: string): boolean {
  if (text === "*") return true;
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** What web pages may do with a store's keys; test data have settings of their own. */
export const BrowserSettings = z.strictObject({
  id: z.literal("settings"),
  created_at: Instant,
  updated_at: Instant,
  origins: z
    .array(AllowedOrigin)
    .max(50)
    .meta({ description: "Origins that may use a publishable key, such as https://shop.example" }),
  secret_keys: z.enum(["refuse", "accept"]).meta({
    description:
      "How requests with a secret key and an Origin header, such as those of browsers, are handled",
  }),
});
export type BrowserSettings = z.output<typeof BrowserSettings>;

/** In the store's own partition, so that engines read it in their transactions. */
export const browserSettings = defineCollection({
  name: "kernel.browser",
  unlisted: true,
  schema: BrowserSettings,
});

/** No page may call until the store says which. */
export const DEFAULT_BROWSER_SETTINGS: BrowserSettings = {
  id: "settings",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
  origins: [],
  secret_keys: "refuse",
};

/** The settings that hold for a transaction's own partition. */
export const readBrowserSettings = async (tx: Tx): Promise<BrowserSettings> =>
  (await tx.get(browserSettings, "settings"))?.value ?? DEFAULT_BROWSER_SETTINGS;

/** Whether the list lets a page of that origin in; also for addresses that a visitor is sent on to. */
export const allowsOrigin = ({ origins }: Pick<BrowserSettings, "origins">, origin: string): boolean =>
  origins.includes("*") || origins.includes(origin);
