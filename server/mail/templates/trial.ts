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
    requests: `${count(plan.requests)} (in the trial ${count(trial.requests)})`,
    stores: `${count(plan.stores)} (in the trial ${count(trial.stores)})`,
    keys: `${count(plan.keys)} (in the trial ${count(trial.keys)})`,
    link: `${baseUrl}/docs/guides/rate-limits`,
  };
}

const WHAT_STAYS = `Your keys keep working and nothing is deleted. Requests past the limit are
answered 429. Further stores cannot be named in X-Service-Store until a
plan has room for them, and no key can be added beyond those of the plan.`;

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
From then on the plan ${mail.plan} holds:

Store:                ${mail.store_identifier}
Requests per minute:  ${mail.requests}
Stores:               ${mail.stores}
Keys:                 ${mail.keys}

${mail.stays}

To keep ${mail.trial}, ask whoever runs this service for it before that date.
If ${mail.plan} is enough for you, do nothing.

How requests are counted, and what each plan allows:

${mail.link}

--${" "}
Sent by ${mail.base_url}
`,
});

/** Sent when the trial of a plan is over. */
export const trialEnded = defineMail({
  name: "trial-ended",
  summary: "Sent when the trial of a plan is over and the plan beneath it holds again.",
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
The plan ${mail.plan} holds now:

Store:                ${mail.store_identifier}
Requests per minute:  ${mail.requests}
Stores:               ${mail.stores}
Keys:                 ${mail.keys}

${mail.stays}

To have ${mail.trial} back, ask whoever runs this service for it.
If ${mail.plan} is enough for you, do nothing.

How requests are counted, and what each plan allows:

${mail.link}

--${" "}
Sent by ${mail.base_url}
`,
});
