import { z } from "zod";

import { defineMail, toReadableInstant } from "../template.ts";

/** Sent by `platform mail send-test`: proves that mail leaves and how it looks on arrival. */
export const test = defineMail({
  name: "test",
  summary: "Sent by `platform mail send-test`: shows that mail leaves this service.",
  reason: "an operator tests whether mail leaves",
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

An operator asked for this test mail on ${mail.requested_at}.

If you can read it, mail leaves the service. Look at the headers too:
a mail that fails SPF, DKIM or DMARC is likely to be sorted as junk.

Links in mails begin with this address. Open this one to see whether it
can be reached from where your customers are:

${mail.docs_link}

--${" "}
Sent by ${mail.base_url}
`,
});
