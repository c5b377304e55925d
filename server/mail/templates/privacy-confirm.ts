import { z } from "zod";

import { InlineText, MailLink, defineMail, toReadableInstant } from "../template.ts";
import { wrap } from "./subscription.ts";

const WISHES = {
  export: "for a copy of all that it keeps about you",
  erase: "to erase all that it keeps about you",
} as const;

/** Asks a person whether it was they who wanted their data exported or erased. */
export const privacyConfirm = defineMail({
  name: "privacy-confirm",
  summary: "Asks a person to confirm that their data are to be exported or erased.",
  reason: "this shop was asked for the data of this address",
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
  text: (mail) => `Is it you who asks?
===================

${wrap(`The shop ${mail.shop_name} was asked ${mail.wish}, for this address.`)}

Open this page and press its button to confirm it.

${mail.link}

It can be confirmed until ${mail.expires_at}.

If it was not you, do nothing: nothing happens.

--${" "}
Sent by ${mail.base_url}
`,
});
