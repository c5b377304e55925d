import { z } from "zod";

import { InlineText, MailLink, defineMail, toReadableInstant } from "../template.ts";
import { wrap } from "./subscription.ts";

const WISHES = {
  export: "for a copy of all data that it stores about you",
  erase: "to erase all data that it stores about you",
} as const;

/** Asks a person whether it was they who wanted their data exported or erased. */
export const privacyConfirm = defineMail({
  name: "privacy-confirm",
  summary: "Asks a person to confirm that their data is to be exported or erased.",
  reason: "this store received a data request for this address",
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
  subject: "Confirm a request about your data",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.link,
    shop_name: data.shop_name,
    wish: WISHES[data.type],
    expires_at: toReadableInstant(data.expires_at),
  }),
  text: (mail) => `Confirm your data request
=========================

${wrap(`The store ${mail.shop_name} received a request ${mail.wish}, for this email address.`)}

To confirm the request, open this page and press the button.

${mail.link}

The link expires on ${mail.expires_at}.

If you did not make this request, no action is needed and nothing
changes.

--${" "}
Sent by ${mail.base_url}
`,
});
