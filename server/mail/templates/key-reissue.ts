import { z } from "zod";

import { MailLink, defineMail, toReadableInstant } from "../template.ts";

/** Sent when an address that is already verified signs up again for the same store: the lost-key case. */
export const keyReissue = defineMail({
  name: "key-reissue",
  summary: "Sent when a verified address signs up again: the link that issues a new API key.",
  reason: "an API key was requested with this address",
  schema: z.object({ link: MailLink, expires_at: z.iso.datetime() }),
  example: {
    link: "https://api.shop.example/api/platform/verify?token=Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu",
    expires_at: "2026-11-22T14:05:00.000Z",
  },
  subject: "Get a new API key for your account",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.link,
    expires_at: toReadableInstant(data.expires_at),
  }),
  text: (mail) => `You already have an account
===========================

Someone, most likely you, signed up again with this address. The address
is already confirmed.

Lost your API key? Open this link and press the button: a new key is
issued and shown once.

${mail.link}

A key that was issued earlier and never used is revoked at that moment.
Keys that have been used keep working.

The link works once and expires on ${mail.expires_at}.

If you did not request this, no action is needed. Your keys do not
change.

--${" "}
Sent by ${mail.base_url}
`,
});
