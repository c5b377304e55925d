import { defineSettings } from "../../core/settings.ts";
import { defineCollection, newestFirst, timeOrder, timeIndex } from "../../core/collection.ts";
import type { Personal } from "../../core/collection.ts";
import { defineContents } from "../../core/contents.ts";
import { derivedId, sha256Hex } from "../../core/ids.ts";
import { hashSubject, mentionSubject, refSubject } from "../../core/personal.ts";
import type { Tx } from "../../core/tx.ts";
import { DEFAULT_POLICY, DEFAULT_SETTINGS } from "./data/defaults.ts";
import { eraseAnswer, eraseQuestion, eraseWords } from "./rules/erase.ts";
import { filedTarget, filedUnder } from "./rules/pick-places.ts";
import { Review } from "./schema.ts";
import { DayTally, TargetStats, Totals } from "./schema/aggregate.ts";
import { Invitation, Mailbox, Order, Suppression } from "./schema/invitation.ts";
import type { Target } from "./schema/parts.ts";
import { Answer, Question } from "./schema/question.ts";
import {
  Ballot,
  Export,
  ExportPart,
  Import,
  ImportSource,
  Photo,
  PrivateReply,
  Pulse,
  Slot,
  Trace,
} from "./schema/records.ts";
import { AttributeDefinition, Group, Membership, Policy, Settings } from "./schema/settings.ts";

/** The author's id for the privacy service. */
const subjectsOf = (email: string | null, customerId: string | null): string[] => [
  ...(email === null ? [] : [email.toLowerCase()]),
  ...(customerId === null ? [] : [`customer:${customerId}`]),
];

/** Documents that are deleted completely when they concern the person. */
const whole = <T>(subjects: (value: T) => readonly string[]): Personal<T> => ({
  subjects,
  erased: () => null,
});

/** The part before the @ has at most 64 characters (RFC 5321 §4.5.3.1.1): without a bound, a text takes the square of its length. */
const ADDRESS = /[a-z0-9._%+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+/g;
const addressesIn = ({ text }: { readonly text: string }): string[] => [
  ...new Set(text.toLowerCase().match(ADDRESS) ?? []),
];

export const reviews = defineCollection({
  name: "reviews.reviews",
  schema: Review,
  indexes: {
    /** By creation date: an import contains old ones. */
    new: { values: () => [""], order: ({ submitted_at: at }) => newestFirst(at) },
    by: {
      values: (review) => [...filedUnder(review), ...(review.erase_asked ? ["erase_asked"] : [])],
      order: ({ submitted_at: at }) => newestFirst(at),
    },
    /** Most helpful first, by the lower bound of the share; then newest first. */
    helpful: {
      values: ({ status, target }) =>
        status === "published" ? ["published", `published.${filedTarget(target)}`] : [],
      order: ({ helpful, submitted_at: at }) =>
        String(1_000_000 - Math.round(helpful.lower_bound * 1e6)).padStart(7, "0") + newestFirst(at),
    },
    /** Reviews whose author has not confirmed the address, oldest first. */
    unconfirmed: {
      values: ({ status }) => (status === "unconfirmed" ? [""] : []),
      order: ({ updated_at: at }) => timeOrder(at),
    },
    /** Latest published reviews of a target, and of all. */
    published: {
      values: ({ published_at: at, status, target }) =>
        at === null || status !== "published" ? [] : ["all", filedTarget(target)],
      order: ({ published_at: at }) => newestFirst(at ?? "1970-01-01T00:00:00.000Z"),
    },
  },
  personal: {
    subjects: (review) => {
      const slot = slotOf(review);
      const { author, email } = review;
      return [...subjectsOf(email, author.customer_id), ...(slot === null ? [] : [refSubject(slot)])];
    },
    erased: (review) => eraseWords(review),
  },
});

/** The identity of the author: the e-mail address, or the store's own id. */
const authorKey = ({ email, author }: Pick<Review, "email" | "author">): string | null =>
  email?.toLowerCase() ?? (author.customer_id === null ? null : `customer:${author.customer_id}`);

export function slotOf(review: Pick<Review, "email" | "author" | "target" | "verification">): string | null {
  const key = authorKey(review);
  return key === null ? null : slotId(review.target, key, review.verification.order_id);
}

/** The unique review of an author about a target and order. */
export const slotId = (target: Target, author: string, orderId: string | null): string =>
  derivedId("slt", new Uint8Array(), [target.type, target.id, author, orderId ?? ""]);
export const slots = defineCollection({
  name: "reviews.slots",
  unlisted: true,
  schema: Slot,
  // From an address its id leads to the review that it wrote, which stays without its words.
  personal: { subjects: ({ id }) => [mentionSubject(id)], erased: () => null },
});

export const statsId = (target: Target): string =>
  derivedId("agg", new Uint8Array(), [target.type, target.id]);
export const aggregates = defineCollection({
  name: "reviews.aggregates",
  schema: TargetStats,
  indexes: {
    new: { values: () => [""], order: ({ id }) => id.slice(-26) },
    type: {
      values: ({ target, stats }) => (stats.rating_count === 0 ? [] : [target.type]),
      order: ({ id }) => id.slice(-26),
    },
  },
});
export const TOTALS_ID = "totals";
export const totalsDocs = defineCollection({ name: "reviews.totals", unlisted: true, schema: Totals });
export const tallyId = (day: string): string => `day_${day}`;
export const tallies = defineCollection({
  name: "reviews.tallies",
  unlisted: true,
  schema: DayTally,
  indexes: { day: { values: () => [""], order: ({ id }) => id } },
});

export const ballots = defineCollection({
  name: "reviews.ballots",
  unlisted: true,
  schema: Ballot,
  indexes: {
    /** To delete those of an erased post. */
    subject: { values: ({ subject_id: id }) => [id], order: ({ at }) => timeOrder(at) },
    old: {
      values: ({ of_day: isOfDay }) => (isOfDay === true ? [""] : []),
      order: ({ at }) => timeOrder(at),
    },
  },
});
export const traces = defineCollection({
  name: "reviews.traces",
  unlisted: true,
  schema: Trace,
  indexes: {
    address: {
      values: ({ address }) => [sha256Hex(address).slice(0, 32)],
      order: ({ at }) => newestFirst(at),
    },
    old: { values: () => [""], order: ({ at }) => timeOrder(at) },
  },
});
export const pulseId = (target: Target): string =>
  derivedId("pls", new Uint8Array(), [target.type, target.id]);
export const pulses = defineCollection({ name: "reviews.pulses", unlisted: true, schema: Pulse });

export const photos = defineCollection({
  name: "reviews.photos",
  unlisted: true,
  schema: Photo,
  schemaVersion: 2,
  // The content was part of the document.
  upgrade: (old) => ({ ...old, bytes: 0, chunks: 0, expires_at: null }),
  indexes: {
    review: { values: ({ review_id: id }) => (id === null ? [] : [id]) },
    due: timeIndex("expires_at"),
  },
  personal: {
    subjects: ({ customer_id: customer, email }) => subjectsOf(email, customer),
    // The content is unnamed: the sweep deletes it by this document, a few minutes later.
    erased: (photo) => gonePhoto(photo, photo.created_at),
  },
});

/** A photo whose content is deleted by the next sweep. */
export const gonePhoto = (photo: Photo, at: string): Photo => ({
  ...photo,
  review_id: null,
  email: null,
  customer_id: null,
  data: null,
  expires_at: at,
});

/** Contents of the photos. */
export const contents = defineContents({
  engine: "reviews",
  files: photos,
  gone: gonePhoto,
  nameOf: ({ id }) => `${id}.webp`,
});

export const privateReplies = defineCollection({
  name: "reviews.private_replies",
  schema: PrivateReply,
  indexes: { review: { values: ({ review_id: id }) => [id] } },
  personal: whole(({ email }: PrivateReply) => [email]),
});

export const questions = defineCollection({
  name: "reviews.questions",
  schema: Question,
  indexes: {
    by: {
      values: ({ status, target }) => [status, filedTarget(target), `${status}.${filedTarget(target)}`],
    },
  },
  personal: { subjects: ({ email, author }) => subjectsOf(email, author.customer_id), erased: eraseQuestion },
});
export const answers = defineCollection({
  name: "reviews.answers",
  schema: Answer,
  indexes: {
    by: {
      values: ({ status, question_id: question, erase_asked: erasure }) => [
        status,
        question,
        `${status}.${question}`,
        ...(erasure ? ["erase_asked"] : []),
      ],
    },
  },
  personal: { subjects: ({ email, author }) => subjectsOf(email, author.customer_id), erased: eraseAnswer },
});

export const orderId = (id: string): string => derivedId("ord", new Uint8Array(), [id]);
/** Hash of an e-mail address for keys, which never contain the address itself. */
export const addressHash = (email: string): string => sha256Hex(email.trim().toLowerCase()).slice(0, 40);
export const orders = defineCollection({
  name: "reviews.orders",
  schema: Order,
  indexes: {
    new: { values: () => [""], order: ({ created_at: at }) => newestFirst(at) },
    buyer: {
      values: ({ customer }) => [addressHash(customer.email)],
      order: ({ created_at: at }) => newestFirst(at),
    },
  },
  personal: whole(({ customer }: Order) => subjectsOf(customer.email, customer.id)),
});
/** One invitation per order. */
export const invitationId = (id: string): string => derivedId("rvi", new Uint8Array(), [id]);
export const invitations = defineCollection({
  name: "reviews.invitations",
  schema: Invitation,
  indexes: {
    new: { values: () => [""], order: ({ created_at: at }) => newestFirst(at) },
    by: {
      values: ({ status, customer }) => [status, `to.${addressHash(customer.email)}`],
      order: ({ created_at: at }) => newestFirst(at),
    },
    due: timeIndex("next_action_at"),
  },
  personal: whole(({ customer }: Invitation) => subjectsOf(customer.email, customer.id)),
});
export const mailboxId = (email: string): string => `mbx_${addressHash(email)}`;
export const mailboxes = defineCollection({
  name: "reviews.mailboxes",
  unlisted: true,
  schema: Mailbox,
  personal: whole(({ id }: Mailbox) => [hashSubject(id.slice("mbx_".length))]),
});
export const suppressionId = (email: string): string => `sup_${addressHash(email)}`;
export const suppressions = defineCollection({
  name: "reviews.suppressions",
  schema: Suppression,
  indexes: { new: { values: () => [""], order: ({ created_at: at }) => newestFirst(at) } },
});

export const policyDocs = defineCollection({ name: "reviews.policies", unlisted: true, schema: Policy });
export const attributeId = (key: string): string => derivedId("atr", new Uint8Array(), [key]);
export const attributeDefinitions = defineCollection({
  name: "reviews.attributes",
  schema: AttributeDefinition,
  indexes: { new: { values: () => [""], order: ({ created_at: at }) => newestFirst(at) } },
});
export const groups = defineCollection({ name: "reviews.groups", schema: Group });
export const membershipId = (target: Target): string =>
  derivedId("mem", new Uint8Array(), [target.type, target.id]);
export const memberships = defineCollection({
  name: "reviews.memberships",
  unlisted: true,
  schema: Membership,
});

const isOpen = ({ state }: { readonly state: string }): string[] =>
  state === "queued" || state === "running" ? [""] : [];
export const imports = defineCollection({
  name: "reviews.imports",
  schema: Import,
  indexes: { open: { values: isOpen } },
});
export const importSources = defineCollection({
  name: "reviews.import_sources",
  unlisted: true,
  schema: ImportSource,
  personal: whole<ImportSource>(addressesIn),
});
export const exportJobs = defineCollection({
  name: "reviews.exports",
  schema: Export,
  indexes: {
    open: { values: isOpen },
    old: timeIndex("expires_at"),
  },
});
export const exportPartId = (exportId: string, part: number): string =>
  derivedId("epa", new Uint8Array(), [exportId, String(part)]);
export const exportParts = defineCollection({
  name: "reviews.export_parts",
  unlisted: true,
  schema: ExportPart,
  personal: whole<ExportPart>((part) => [
    ...new Set([...subjectsOf(part.author_email ?? null, null), ...addressesIn(part)]),
  ]),
});

export const reviewSettings = defineSettings<Settings>({
  engine: "reviews",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: { shop_name: "name", shop_url: "website", timezone: "time_zone" },
  unlisted: true,
});

export const readSettings = reviewSettings.read;

export const readPolicy = async (tx: Tx): Promise<Policy> =>
  (await tx.get(policyDocs, "policy"))?.value ?? DEFAULT_POLICY;
