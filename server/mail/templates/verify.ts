import { z } from "zod";

import { MailLink, defineMail, toReadableInstant } from "../template.ts";

/** Sent on signup while the address is not verified: its link leads to the key. */
export const verify = defineMail({
  name: "verify",
  summary: "Sent on signup: links to the page that verifies the address and issues the API key.",
  reason: "an API key was requested with this address",
  schema: z.object({ link: MailLink, expires_at: z.iso.datetime() }),
  example: {
    link: "https://api.shop.example/api/platform/verify?token=Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu",
    expires_at: "2026-11-22T14:05:00.000Z",
  },
  subject: "Confirm your address to get your API key",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.link,
    expires_at: toReadableInstant(data.expires_at),
  }),
  text: (mail) => `Confirm your e-mail address
===========================

Someone, most likely you, requested an API key with this address.

To confirm the address, open this link and press the button. The page
then shows your API key once. Store it in a safe place.

${mail.link}

The link works once and expires on ${mail.expires_at}.

If you did not request this, no action is needed. No key is issued
without confirmation, and unconfirmed addresses are deleted.

--${" "}
Sent by ${mail.base_url}
`,
});
