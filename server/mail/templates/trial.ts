import { z } from "zod";

import { InlineText, defineMail, toReadableInstant } from "../template.ts";
import type { MailContext } from "../template.ts";

/** A plan in figures; `stores` null is unlimited. */
const Figures = z.object({
  name: InlineText,
  requests: z.int().positive(),
  stores: z.int().positive().nullable(),
  keys: z.int().positive(),
});

const Common = z.object({ store_identifier: InlineText, trial: Figures, plan: Figures });

const example = {
  store_identifier: "demo-bakery",
  trial: { name: "Growth", requests: 1500, stores: 5, keys: 10 },
  plan: { name: "Free", requests: 60, stores: 1, keys: 2 },
};

const count = (number: number | null): string =>
  number === null ? "unlimited" : number.toLocaleString("en-GB");

function commonValues({ plan, store_identifier, trial }: z.output<typeof Common>, { baseUrl }: MailContext) {
  return {
    base_url: baseUrl,
    store_identifier,
    trial: trial.name,
    plan: plan.name,
    requests: `${count(plan.requests)} (during the trial ${count(trial.requests)})`,
    stores: `${count(plan.stores)} (during the trial ${count(trial.stores)})`,
    keys: `${count(plan.keys)} (during the trial ${count(trial.keys)})`,
    link: `${baseUrl}/docs/guides/rate-limits`,
  };
}

const WHAT_STAYS = `Your keys keep working and nothing is deleted. Requests above the limit
fail with status 429. Stores above the limit cannot be used with
X-Service-Store, and no keys can be added above the limit of the plan.`;

/** Sent three days and one day before the trial of a plan ends. */
export const trialEnding = defineMail({
  name: "trial-ending",
  summary: "Sent three days and one day before the trial of a plan ends.",
  reason: "you have an account here",
  schema: Common.extend({
    /** When the trial ends; later the mail is of no use. */
    expires_at: z.iso.datetime(),
  }),
  example: { ...example, expires_at: "2026-11-25T14:05:00.000Z" },
  subject: "Your trial is about to end",
  values: (data, context) => ({
    ...commonValues(data, context),
    ends_at: toReadableInstant(data.expires_at),
    stays: WHAT_STAYS,
  }),
  text: (mail) => `Your trial is about to end
==========================

The trial of ${mail.trial} ends on ${mail.ends_at}.
After that, the ${mail.plan} plan applies:

Store:                ${mail.store_identifier}
Requests per minute:  ${mail.requests}
Stores:               ${mail.stores}
Keys:                 ${mail.keys}

${mail.stays}

To keep ${mail.trial}, contact the operator of this service before that date.
If ${mail.plan} is sufficient, no action is needed.

How requests are counted and what each plan includes:

${mail.link}

--${" "}
Sent by ${mail.base_url}
`,
});

/** Sent when the trial of a plan is over. */
export const trialEnded = defineMail({
  name: "trial-ended",
  summary: "Sent when the trial of a plan has ended and the previous plan applies again.",
  reason: "you have an account here",
  schema: Common.extend({ ended_at: z.iso.datetime() }),
  example: { ...example, ended_at: "2026-11-25T14:05:00.000Z" },
  subject: "Your trial has ended",
  values: (data, context) => ({
    ...commonValues(data, context),
    ended_at: toReadableInstant(data.ended_at),
    stays: WHAT_STAYS,
  }),
  text: (mail) => `Your trial has ended
====================

The trial of ${mail.trial} ended on ${mail.ended_at}.
The ${mail.plan} plan now applies:

Store:                ${mail.store_identifier}
Requests per minute:  ${mail.requests}
Stores:               ${mail.stores}
Keys:                 ${mail.keys}

${mail.stays}

To get ${mail.trial} back, contact the operator of this service.
If ${mail.plan} is sufficient, no action is needed.

How requests are counted and what each plan includes:

${mail.link}

--${" "}
Sent by ${mail.base_url}
`,
});
