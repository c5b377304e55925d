import { z } from "zod";

import { defineCollection } from "./collection.ts";
import type { Tx } from "./tx.ts";
import { Currency, Instant, TimeZone, urlUpTo } from "./schema.ts";

const Locale = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, "Expected a language tag such as en-GB.");
const HttpsUrl = urlUpTo(500, { protocol: /^https$/ }).regex(/^[\x21-\x7e]+$/, "Expected an ASCII URL.");
const line = (charsMax: number) => z.string().trim().min(1).max(charsMax).nullable();

/** What a shop says of itself. A field that is null leaves the default of each engine in place. */
export const shopFields = {
  name: line(80).meta({ description: "Shown in mails and on pages" }),
  legal_name: line(200).meta({ description: "Name on invoices and in legal notices" }),
  address: line(500).meta({ description: "Postal address, one line each" }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "Expected an ISO 3166-1 code such as GB.")
    .nullable(),
  email: z.email().max(254).nullable().meta({ description: "Address at which customers reach the shop" }),
  phone: z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, "Expected an E.164 number such as +442079460000.")
    .nullable(),
  website: HttpsUrl.nullable(),
  vat_number: line(40),
  time_zone: TimeZone.nullable(),
  currency: Currency.nullable(),
  locale: Locale.nullable().meta({ description: "Language and region of texts, dates and numbers" }),
  logo_url: HttpsUrl.nullable(),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, "Expected a color such as #1f6feb.")
    .nullable()
    .meta({ description: "Accent color of mails and pages" }),
};
export const Shop = z.strictObject({
  id: z.literal("shop"),
  ...shopFields,
  updated_at: Instant.nullable().meta({ description: "Null until the profile is saved" }),
});
export type Shop = z.output<typeof Shop>;

export const NEW_SHOP: Shop = {
  id: "shop",
  name: null,
  legal_name: null,
  address: null,
  country: null,
  email: null,
  phone: null,
  website: null,
  vat_number: null,
  time_zone: null,
  currency: null,
  locale: null,
  logo_url: null,
  color: null,
  updated_at: null,
};

export const DEMO_SHOP_NAME = "Demo Bakery & Roastery";

/** The shop of all demo data and examples. */
export const DEMO_SHOP: Shop = {
  ...NEW_SHOP,
  name: DEMO_SHOP_NAME,
  legal_name: "Demo Bakery & Roastery Ltd",
  address: "5 Mill Street\nLondon SE1 2XX",
  country: "GB",
  email: "hello@bakery.example",
  phone: "+442079460000",
  website: "https://bakery.example",
  vat_number: "GB000000000",
  time_zone: "Europe/London",
  currency: "GBP",
  locale: "en-GB",
  color: "#8a4b08",
  updated_at: "2026-06-01T09:00:00.000Z",
};

/** The profile of the store, in its own partition, so that engines read it in their transactions. */
export const shops = defineCollection({ name: "account.shop", unlisted: true, schema: Shop });

/** The profile of the store; null until it is saved. */
export const readShop = async (tx: Tx): Promise<Shop | null> => (await tx.get(shops, "shop"))?.value ?? null;
