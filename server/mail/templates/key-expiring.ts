import { z } from "zod";

import { InlineText, defineMail, toReadableInstant } from "../template.ts";

/** How each kind of key is followed by another; a rotated key would end when the old one does. */
const WAYS = {
  live: {
    todo: "To go on without a gap, get a new key before that: sign up again with\nthis address and the same store, and follow the link in the mail. If the\nplan has no room for one more key, revoke one that you no longer use.",
    path: "/signup",
  },
  test: {
    todo: "To go on without a gap, ask whoever runs this service for a new test key\nbefore that. What test keys are for:",
    path: "/docs/guides/authentication",
  },
  publishable: {
    todo: "To go on without a gap, make a new one before that, by a POST to\n/v1/account/keys, and put it into your pages. How:",
    path: "/docs/guides/browsers",
  },
} as const;

/** Sent once, a week before a key ends by itself, or a day before for a key of a short life. */
export const keyExpiring = defineMail({
  name: "key-expiring",
  summary: "Sent a week before an API key ends by itself; a day before where it lives shorter than that.",
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
  subject: "An API key of yours is about to expire",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    store_identifier: data.store_identifier,
    key_name: data.key_name,
    key_shown: data.key_shown,
    expires_at: toReadableInstant(data.expires_at),
    todo: WAYS[data.kind].todo,
    link: `${baseUrl}${WAYS[data.kind].path}`,
  }),
  text: (mail) => `An API key is about to expire
=============================

It works until ${mail.expires_at}.
From then on every request with it is answered 401.

Store: ${mail.store_identifier}
Key:   ${mail.key_shown}
Name:  ${mail.key_name}

${mail.todo}

${mail.link}

If nothing uses this key any more, do nothing: your other keys are not
affected.

--${" "}
Sent by ${mail.base_url}
`,
});
