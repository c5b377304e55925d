import { z } from "zod";

import { toUtcInstant } from "../lib/instant.ts";
import { canonicalTag, isLanguageTag } from "../lib/language-tag.ts";
import { LIMITS } from "./limits.ts";
import { isTimeZone } from "../lib/local-time.ts";

/** Shared zod shapes, so that every engine spells the common members alike. */
export const Id = z.string().min(3).max(64);
/** Any RFC 3339 instant is accepted; what is parsed, stored and served is UTC with milliseconds. */
export const Instant = z
  .stringFormat("date-time", (text) => toUtcInstant(text) !== null, {
    error: "Expected an RFC 3339 timestamp such as 2026-11-21T10:00:00Z.",
  })
  .overwrite((text) => toUtcInstant(text) ?? text)
  .meta({ description: "RFC 3339 timestamp in UTC" });
export const LocalDate = z.iso.date();
export const LocalTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Expected a local time HH:MM.")
  .meta({ description: "Local time, 24-hour clock" });
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, "Expected an IANA time zone such as Europe/London.")
  .meta({ description: "IANA time zone of all local dates and times" });
/** Any valid language tag of RFC 5646, as customers and other systems send it. */
export const LanguageTag = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, {
    error: "Expected a language tag such as en-GB.",
    // One complaint is enough, and costs half as much where it is of a name among thousands.
    abort: true,
  })
  .refine(isLanguageTag, "Expected a valid language tag such as en-GB.")
  // Case means nothing in a tag (RFC 5646 §2.1.1), and lists are filtered by it.
  .overwrite((text) => canonicalTag(text) ?? text)
  .meta({ description: "BCP 47 language tag" });
/**
 * A URL of at most `max` characters, which are counted first: reading a host of percent-encoded combining marks takes time that grows
 * with the square of their number.
 */
export const urlUpTo = (max: number, options: UrlOptions, error?: string) =>
  z
    .string({ error })
    .max(max, { abort: true, error })
    .check(z.url({ error: urlFault(options), ...options }));
type UrlOptions = Exclude<Parameters<typeof z.url>[0], string | undefined>;
const urlFault = ({ protocol }: UrlOptions): string =>
  `Expected ${protocol?.test("http") === false ? "an https URL" : "a URL"}, such as https://shop.example.`;
export const Minor = z
  .int()
  .nonnegative()
  .meta({ description: "Minor units of the currency (pence, cents)" });
export const Currency = z.string().regex(/^[A-Z]{3}$/, "Expected an ISO 4217 code such as GBP.");
export const Metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine(
    (value) => Object.keys(value).length <= LIMITS.metadataKeys,
    `At most ${LIMITS.metadataKeys} entries are allowed.`,
  );

/** Members that every stored resource has; `version` joins them on the way out. */
export const resourceFields = { id: Id, created_at: Instant, updated_at: Instant };

export const Version = z
  .int()
  .positive()
  .meta({ description: "Changes with every write. Also sent as the ETag" });

/** The public form of a stored resource: its schema plus `version`, the value that `ETag` and `If-Match` carry. */
export const withVersion = <S extends z.ZodRawShape>(schema: z.ZodObject<S>) =>
  schema.extend({ version: Version });

/** Query of every list route: page size and the opaque cursor of the page before. */
export const listFields = {
  limit: z.coerce
    .number()
    .pipe(z.int().min(1).max(LIMITS.pageMax))
    .default(LIMITS.pageDefault)
    .meta({ description: `Page size, 1 to ${LIMITS.pageMax}` }),
  cursor: z
    .string()
    .max(512)
    .optional()
    .meta({ description: "meta.pagination.next_cursor of the previous page" }),
};
export const ListQuery = z.object(listFields);

/** The members of a value that a schema lists: what a view shows is declared by its schema alone. */
export const pickShown = <S extends z.ZodRawShape, T extends object>(
  schema: z.ZodObject<S>,
  value: T,
): Pick<T, keyof S & keyof T> =>
  // The names are those of the schema, which `Object.fromEntries` forgets.
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) =>
      name in value ? [[name, value[name as keyof T]] as const] : [],
    ),
  ) as unknown as Pick<T, keyof S & keyof T>;

/** Details of an event in the feed of an engine. */
export const EventData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
