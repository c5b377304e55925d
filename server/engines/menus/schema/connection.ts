import { z } from "zod";

import { Id, Instant, resourceFields, urlUpTo } from "../../../core/schema.ts";
import { FORMATS } from "../formats/formats.ts";
import { Channel, Locale } from "./parts.ts";

export const connectionFields = {
  title: z.string().trim().min(1).max(120),
  url: urlUpTo(500, { protocol: /^https?$/ }).meta({ description: "Where signed messages are posted" }),
  menu_id: Id,
  channel: Channel.meta({ description: "Suspensions and stock of this channel are sent" }),
  format: z.enum(["tree", ...FORMATS]).meta({
    description:
      "Format of the menu: tree as GET /{id}/versions/{n} returns it, others as GET /{id}/export does",
  }),
  locale: Locale.nullable().meta({
    description: "Language of texts, where the format has one. Null: the one in the settings",
  }),
};

const PublicationStatus = z.enum(["pending", "online", "failed"]);
const attempts = {
  attempts: z.int().min(0),
  next_attempt_at: Instant.nullable(),
  error: z.string().max(500).nullable().meta({ description: "Why the last attempt was not successful" }),
};
const ConnectionPublication = z.object({
  id: Id,
  menu_version: z.int().min(1),
  status: PublicationStatus.meta({
    description:
      "pending: queued, retried or being processed by the channel; online: accepted; failed: refused, or out of attempts",
  }),
  requested_at: Instant,
  finished_at: Instant.nullable(),
  ...attempts,
});
export type ConnectionPublication = z.output<typeof ConnectionPublication>;

/** A publication that is sent within seconds. */
export const newPublication = (id: string, version: number, at: string): ConnectionPublication => ({
  id,
  menu_version: version,
  status: "pending",
  requested_at: at,
  finished_at: null,
  attempts: 0,
  next_attempt_at: at,
  error: null,
});

export const Connection = z.object({
  ...resourceFields,
  ...connectionFields,
  publication: ConnectionPublication.nullable().meta({ description: "The latest publication" }),
  online_version: z.int().min(1).nullable().meta({ description: "Version that the channel accepted last" }),
  stock: z.object({ sent_at: Instant.nullable(), ...attempts }).meta({
    description: "Delivery of what is unavailable; next_attempt_at is null while the channel is up to date",
  }),
});
export type Connection = z.output<typeof Connection>;

/** The items last sent to the channel as unavailable, with the end of each period, and a hash of the allergens and diets in its menu. */
export const ConnectionStock = z.object({
  id: Id,
  unavailable: z.record(Id, Instant.nullable()),
  facts: z.string().optional(),
  /** End of the day on which they were compared last: certificates are in force up to a day. */
  facts_until: Instant.optional(),
});

export type ConnectionStock = z.output<typeof ConnectionStock>;

/** Signing secrets (`whsec_` and base64), newest first. */
export const ConnectionSecrets = z.object({ id: Id, secrets: z.array(z.string()).max(2) });
