import { z } from "zod";

import { InlineText, defineMail, toReadableInstant } from "../template.ts";

/** How each kind of key is followed by another; a rotated key would end when the old one does. */
const WAYS = {
  live: {
    remedy:
      "To avoid an interruption, get a new key before that date: sign up again\nwith this address and the same store, and follow the link in the mail.\nIf the key limit of your plan is reached, revoke a key you no longer use.",
    path: "/signup",
  },
  test: {
    remedy:
      "To avoid an interruption, ask the operator of this service for a new\ntest key before that date. About test keys:",
    path: "/docs/guides/authentication",
  },
  publishable: {
    remedy:
      "To avoid an interruption, create a new key before that date with\nPOST /v1/account/keys and use it in your pages. Documentation:",
    path: "/docs/guides/browsers",
  },
} as const;

/** Sent once, a week before a key ends by itself, or a day before for a key of a short life. */
export const keyExpiring = defineMail({
  name: "key-expiring",
  summary: "Sent a week before an API key expires, or a day before if its lifetime is shorter than a week.",
  reason: "you have an account here",
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
  subject: "One of your API keys is about to expire",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    store_identifier: data.store_identifier,
    key_name: data.key_name,
    key_shown: data.key_shown,
    expires_at: toReadableInstant(data.expires_at),
    remedy: WAYS[data.kind].remedy,
    link: `${baseUrl}${WAYS[data.kind].path}`,
  }),
  text: (mail) => `An API key is about to expire
=============================

It works until ${mail.expires_at}.
After that, every request with it fails with status 401.

Store: ${mail.store_identifier}
Key:   ${mail.key_shown}
Name:  ${mail.key_name}

${mail.remedy}

${mail.link}

If this key is no longer in use, no action is needed. Your other keys
are not affected.

--${" "}
Sent by ${mail.base_url}
`,
});
