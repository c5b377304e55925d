import { z } from "zod";

import { code, facts, link } from "../blocks.ts";
import type { Block } from "../blocks.ts";
import { InlineText, MailLink, defineMail, instantIn, shopIn } from "../template.ts";
import type { MailContext } from "../template.ts";

const KEY_LINK =
  "https://api.shop.example/api/platform/verify?token=Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu";

/** Sent on signup while the address is not verified: its link leads to the key. */
export const verify = defineMail({
  name: "verify",
  summary: "Sent on signup: links to the page that verifies the address and issues the API key.",
  reason: "key",
  schema: z.object({ link: MailLink, expires_at: z.iso.datetime() }),
  example: { link: KEY_LINK, expires_at: "2026-11-22T14:05:00.000Z" },
  title: "mail.verify.title",
  blocks: (data, { words }) => [
    words.say("mail.verify.who"),
    link(data.link, words.say("mail.verify.button"), words.say("mail.verify.how")),
    words.say("mail.link_once", { at: instantIn(words, data.expires_at) }),
    words.say("mail.verify.ignore"),
  ],
});

/** Sent when an address that is already verified signs up again for the same store: the lost-key case. */
export const keyReissue = defineMail({
  name: "key-reissue",
  summary: "Sent when a verified address signs up again: the link that issues a new API key.",
  reason: "key",
  schema: z.object({ link: MailLink, expires_at: z.iso.datetime() }),
  example: { link: KEY_LINK, expires_at: "2026-11-22T14:05:00.000Z" },
  title: "mail.key-reissue.title",
  blocks: (data, { words }) => [
    words.say("mail.key-reissue.who"),
    link(data.link, words.say("mail.key-reissue.button"), words.say("mail.key-reissue.how")),
    words.say("mail.key-reissue.revoked"),
    words.say("mail.link_once", { at: instantIn(words, data.expires_at) }),
    words.say("mail.key-reissue.ignore"),
  ],
});

/** Sent by `platform mail send-test`: proves that mail leaves and how it looks on arrival. */
export const test = defineMail({
  name: "test",
  summary: "Sent by `platform mail send-test` to check that mail delivery works.",
  reason: "test",
  schema: z.object({ requested_at: z.iso.datetime() }),
  example: { requested_at: "2026-11-21T14:05:00.000Z" },
  title: "mail.test.title",
  blocks: (data, { baseUrl, words }) => [
    words.say("mail.test.when", { at: instantIn(words, data.requested_at) }),
    words.say("mail.test.works"),
    link(`${baseUrl}/docs`, words.say("mail.test.button"), words.say("mail.test.links")),
  ],
});

/** Where each kind of key is followed by another; a rotated key would end when the old one does. */
const KEY_PATHS = {
  live: "/signup",
  test: "/docs/guides/authentication",
  publishable: "/docs/guides/browsers",
} as const;

/** Sent once, a week before a key ends by itself, or a day before for a key of a short life. */
export const keyExpiring = defineMail({
  name: "key-expiring",
  summary: "Sent a week before an API key expires, or a day before if its lifetime is shorter than a week.",
  reason: "account",
  schema: z.object({
    store_identifier: InlineText,
    key_name: InlineText,
    /** Its first and last characters, to recognise it by. */
    key_shown: InlineText,
    kind: z.enum(["live", "test", "publishable"]),
    /** When the key ends; later the mail is of no use. */
    expires_at: z.iso.datetime(),
  }),
  example: {
    store_identifier: "demo-bakery",
    key_name: "Shop server",
    key_shown: "plat_live_7Kd2…Qw8e",
    kind: "live",
    expires_at: "2026-11-29T14:05:00.000Z",
  },
  title: "mail.key-expiring.title",
  blocks: (data, { baseUrl, words: { say, ...words } }) => [
    say("mail.key-expiring.until", { at: instantIn({ ...words, say }, data.expires_at) }),
    facts(
      [say("mail.store"), data.store_identifier],
      [say("mail.key"), data.key_shown],
      [say("mail.name"), data.key_name],
    ),
    link(`${baseUrl}${KEY_PATHS[data.kind]}`, say("mail.more"), say(`mail.key-expiring.${data.kind}`)),
    say("mail.key-expiring.unused"),
  ],
});

/** A plan in figures; `stores` null is unlimited. */
const Figures = z.object({
  name: InlineText,
  requests: z.int().positive(),
  stores: z.int().positive().nullable(),
  keys: z.int().positive(),
});

const Trial = z.object({ store_identifier: InlineText, trial: Figures, plan: Figures });
const trialExample = {
  store_identifier: "demo-bakery",
  trial: { name: "Growth", requests: 1500, stores: 5, keys: 10 },
  plan: { name: "Free", requests: 60, stores: 1, keys: 2 },
};

function trialBlocks(
  { plan, store_identifier: store, trial }: z.output<typeof Trial>,
  { baseUrl, words }: MailContext,
  next: string,
): Block[] {
  const { say } = words;
  const count = (number: number | null): string =>
    number === null ? say("mail.trial.unlimited") : number.toLocaleString(words.locale);
  const figure = (now: number | null, before: number | null): string =>
    say("mail.trial.figure", { now: count(now), before: count(before) });
  return [
    facts(
      [say("mail.store"), store],
      [say("mail.trial.requests"), figure(plan.requests, trial.requests)],
      [say("mail.trial.stores"), figure(plan.stores, trial.stores)],
      [say("mail.trial.keys"), figure(plan.keys, trial.keys)],
    ),
    say("mail.trial.stays"),
    next,
    link(`${baseUrl}/docs/guides/rate-limits`, say("mail.more"), say("mail.trial.about")),
  ];
}

/** Sent three days and one day before the trial of a plan ends. */
export const trialEnding = defineMail({
  name: "trial-ending",
  summary: "Sent three days and one day before the trial of a plan ends.",
  reason: "account",
  schema: Trial.extend({
    /** When the trial ends; later the mail is of no use. */
    expires_at: z.iso.datetime(),
  }),
  example: { ...trialExample, expires_at: "2026-11-25T14:05:00.000Z" },
  blocks(data, context) {
    const names = { trial: data.trial.name, plan: data.plan.name };
    const { words } = context;
    return [
      words.say("mail.trial-ending.until", { ...names, at: instantIn(words, data.expires_at) }),
      ...trialBlocks(data, context, words.say("mail.trial-ending.keep", names)),
    ];
  },
});

/** Sent when the trial of a plan is over. */
export const trialEnded = defineMail({
  name: "trial-ended",
  summary: "Sent when the trial of a plan has ended and the previous plan applies again.",
  reason: "account",
  schema: Trial.extend({ ended_at: z.iso.datetime() }),
  example: { ...trialExample, ended_at: "2026-11-25T14:05:00.000Z" },
  blocks(data, context) {
    const names = { trial: data.trial.name, plan: data.plan.name };
    const { words } = context;
    return [
      words.say("mail.trial-ended.since", { ...names, at: instantIn(words, data.ended_at) }),
      ...trialBlocks(data, context, words.say("mail.trial-ended.back", names)),
    ];
  },
});

/** Sent when an endpoint of webhooks was switched off because deliveries to it failed. */
export const webhookDisabled = defineMail({
  name: "webhook-disabled",
  summary: "Sent when a webhook endpoint is disabled because it failed for five days or responded with 410.",
  reason: "account",
  schema: z.object({
    store_identifier: InlineText,
    /** Of a URL that was parsed: the customer's own. */
    host: z.string().regex(/^[\w.:[\]-]{1,260}$/),
    endpoint_id: InlineText,
    reason: z.enum(["failing", "gone"]),
    disabled_at: z.iso.datetime(),
  }),
  example: {
    store_identifier: "demo-bakery",
    host: "orders.shop.example",
    endpoint_id: "whk_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    reason: "failing",
    disabled_at: "2026-11-22T14:05:00.000Z",
  },
  blocks: (data, { baseUrl, words }) => [
    `${words.say(`mail.webhook-disabled.${data.reason}`)} ${words.say("mail.webhook-disabled.when", { at: instantIn(words, data.disabled_at) })}`,
    facts(
      [words.say("mail.store"), data.store_identifier],
      [words.say("mail.webhook-disabled.receiver"), data.host],
      [words.say("mail.webhook-disabled.endpoint"), data.endpoint_id],
    ),
    words.say("mail.webhook-disabled.enable"),
    code(`POST /v1/account/webhooks/${data.endpoint_id}/enable`),
    words.say("mail.webhook-disabled.resend"),
    code(`POST /v1/account/webhooks/${data.endpoint_id}/resend`),
    link(`${baseUrl}/docs`, words.say("mail.test.button"), words.say("mail.documentation")),
  ],
});

/** Sent to the operator once for each period without a scheduled backup. */
export const backupOverdue = defineMail({
  name: "backup-overdue",
  summary: "Sent to the operator (`admin.email`) when a scheduled backup is overdue.",
  reason: "operator",
  schema: z.object({
    target: InlineText,
    every_hours: z.int(),
    last_backup_at: z.iso.datetime().nullable(),
  }),
  example: {
    target: "s3://shop-backups/daily?region=eu-central-1",
    every_hours: 24,
    last_backup_at: "2026-11-22T14:05:00.000Z",
  },
  blocks: ({ target, every_hours: hours, last_backup_at: last }, { baseUrl, words }) => [
    last === null
      ? words.say("mail.backup-overdue.none")
      : words.say("mail.backup-overdue.last", { at: instantIn(words, last) }),
    words.say("mail.backup-overdue.every", { hours }),
    facts([words.say("mail.backup-overdue.target"), target]),
    words.say("mail.backup-overdue.why"),
    code("platform jobs list"),
    words.say("mail.backup-overdue.run"),
    code("platform jobs run storage.backup"),
    link(
      `${baseUrl}/_/storage/backups`,
      words.say("mail.backup-overdue.button"),
      words.say("mail.backup-overdue.console"),
    ),
  ],
});

/** Asks a person whether it was they who wanted their data exported or erased. */
export const privacyConfirm = defineMail({
  name: "privacy-confirm",
  summary: "Asks a person to confirm that their data is to be exported or erased.",
  reason: "privacy",
  schema: z.object({
    link: MailLink,
    shop_name: InlineText,
    type: z.enum(["export", "erase"]),
    expires_at: z.iso.datetime(),
  }),
  example: {
    link: "https://api.shop.example/api/public/privacy/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
    shop_name: "demo-bakery",
    type: "erase",
    expires_at: "2026-12-05T14:05:00.000Z",
  },
  title: "mail.privacy-confirm.title",
  blocks: (data, { words }) => [
    words.say(`mail.privacy-confirm.${data.type}`, { shop: shopIn(words, data.shop_name) }),
    link(data.link, words.say("mail.privacy-confirm.button"), words.say("mail.privacy-confirm.how")),
    words.say("mail.privacy-confirm.expires", { at: instantIn(words, data.expires_at) }),
    words.say("mail.privacy-confirm.ignore"),
  ],
});
