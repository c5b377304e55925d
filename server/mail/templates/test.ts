import { z } from "zod";

import { defineMail, toReadableInstant } from "../template.ts";

/** Sent by `platform mail send-test`: proves that mail leaves and how it looks on arrival. */
export const test = defineMail({
  name: "test",
  summary: "Sent by `platform mail send-test` to check that mail delivery works.",
  reason: "an operator is testing mail delivery",
  schema: z.object({ requested_at: z.iso.datetime() }),
  example: { requested_at: "2026-11-21T14:05:00.000Z" },
  subject: "Test mail from your storefront platform",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    docs_link: `${baseUrl}/docs`,
    requested_at: toReadableInstant(data.requested_at),
  }),
  text: (mail) => `Mail works
==========

An operator requested this test mail on ${mail.requested_at}.

If you can read it, mail delivery works. Check the headers too: a mail
that fails SPF, DKIM or DMARC is likely to be classified as junk.

Links in mails start with this address. Open this link to check that
your customers can reach it:

${mail.docs_link}

--${" "}
Sent by ${mail.base_url}
`,
});
