import { z } from "zod";

import { defineOperationsRoute } from "../context.ts";
import { Email, parseEmail } from "../../accounts/customers/email.ts";
import { ok } from "../../core/route.ts";
import { suppressAddress } from "../../mail/choices.ts";

const body = z.strictObject({ address: Email, suppressed: z.boolean().default(true) });

/** For complaints that reach the operator, and for readers who want their mail back. */
export const suppressMail = defineOperationsRoute({
  id: "admin.mail.suppress",
  role: "support",
  method: "POST",
  path: "/mail/suppress",
  summary: "Suppress all mail to an address, or allow it again",
  description:
    "Recipients can do the same with the link in a mail. Stores from which a recipient has unsubscribed remain suppressed.",
  body,
  data: body.required(),
  example: { body: { address: "ada@shop.example" } },
  async handle({ body: { address, suppressed } }, { tx, nowAt }) {
    const to = parseEmail(address)?.deliverable ?? address;
    await suppressAddress(tx, to, { isSuppressed: suppressed, nowAt });
    return ok({ address, suppressed });
  },
});
