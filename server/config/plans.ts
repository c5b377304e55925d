import { z } from "zod";
import { flag, integer, text, textLike } from "./values.ts";

const PAID_TRIAL_DAYS = 14;

/** Budgets of the plan Free, for 60 requests a minute; a plan with more requests has as many times more. */
const FREE_BUDGETS = {
  mailsPerDay: 100,
  newRecipientsPerDay: 20,
  cpuSecondsPerHour: 120,
  backgroundSecondsPerHour: 300,
  outgoingPerHour: 300,
  aiTokensPerDay: 200_000,
  documentsPerStore: 50_000,
  megabytesPerStore: 250,
} as const;
const FREE_REQUESTS = 60;

type BudgetSetting = keyof typeof FREE_BUDGETS;

const BUDGET_MAX = 1_000_000_000_000;
const budget = (what: string) =>
  integer(0, BUDGET_MAX, " or null")
    .nullable()
    .optional()
    .meta({ description: `${what} null is unlimited. Default: follows requestsPerMinute.` });

/** The budgets of a plan: as configured, else in proportion to its requests. A paid plan may write to new recipients. */
function budgetsOf(
  given: { readonly requestsPerMinute: number } & Partial<Record<BudgetSetting, number | null | undefined>>,
  isPaid: boolean,
): Record<BudgetSetting, number | null> {
  const of = (name: BudgetSetting): number | null => {
    const configured = given[name];
    if (configured !== undefined) return configured;
    if (name === "newRecipientsPerDay" && isPaid) return null;
    return Math.ceil((FREE_BUDGETS[name] * given.requestsPerMinute) / FREE_REQUESTS);
  };
  return {
    mailsPerDay: of("mailsPerDay"),
    newRecipientsPerDay: of("newRecipientsPerDay"),
    cpuSecondsPerHour: of("cpuSecondsPerHour"),
    backgroundSecondsPerHour: of("backgroundSecondsPerHour"),
    outgoingPerHour: of("outgoingPerHour"),
    aiTokensPerDay: of("aiTokensPerDay"),
    documentsPerStore: of("documentsPerStore"),
    megabytesPerStore: of("megabytesPerStore"),
  };
}

/** Only `id` and `requestsPerMinute` must be written; a plan other than `free` counts as paid, with the usual trial. */
const Plan = z
  .strictObject({
    id: textLike("lower-case letters, digits and hyphens", (id) => /^[a-z][a-z0-9-]{0,39}$/.test(id)).meta({
      description:
        "Id used in the API and on the command line. A plan `free` must exist: every signup starts with it.",
    }),
    name: text().optional().meta({ description: "Display name. Default: the id, capitalised." }),
    requestsPerMinute: integer(1, 1_000_000).meta({ description: "Requests per minute and key." }),
    stores: integer(1, 100_000, " or null")
      .nullable()
      .default(1)
      .meta({ description: "Maximum stores per customer; null is unlimited." }),
    activeKeys: integer(1, 100_000).default(2).meta({ description: "Maximum active keys per customer." }),
    mailsPerDay: budget("Mails that the stores of a customer can send per day."),
    newRecipientsPerDay: budget(
      "Of these, mails to addresses that have neither signed up nor confirmed that they want mail. Applies until the operator trusts the customer.",
    ),
    cpuSecondsPerHour: budget("CPU seconds for the requests of a customer."),
    backgroundSecondsPerHour: budget("Seconds of scheduled jobs and webhooks for the stores of a customer."),
    outgoingPerHour: budget("Outgoing requests of a customer: webhooks, pages, payments."),
    aiTokensPerDay: budget(
      "Tokens that a customer can use per day of AI providers other than the builtin one.",
    ),
    documentsPerStore: budget(
      "Documents that each store of a customer can hold, of live and again of test data.",
    ),
    megabytesPerStore: budget(
      "Megabytes (1,000,000 bytes) of these documents, with uploaded files and index entries. Stored responses, outgoing messages and logs of a store have as much room again.",
    ),
    paid: flag()
      .optional()
      .meta({ description: "Whether the plan is paid. Default: true, except for `free`." }),
    trialDays: integer(0, 365)
      .optional()
      .meta({ description: `Length of the trial. Default: ${PAID_TRIAL_DAYS} on a paid plan, otherwise 0.` }),
  })
  .superRefine(({ id, paid }, ctx) => {
    if (id !== "free" || paid !== true) return;
    ctx.addIssue({ code: "custom", path: ["paid"], message: 'must be false for "free"' });
  })
  .transform(({ id, name, paid = true, trialDays = PAID_TRIAL_DAYS, ...given }) => {
    const isPaid = paid && id !== "free";
    const { requestsPerMinute, stores, activeKeys } = given;
    return {
      id,
      name: name ?? id.charAt(0).toUpperCase() + id.slice(1),
      requestsPerMinute,
      stores,
      activeKeys,
      ...budgetsOf(given, isPaid),
      paid: isPaid,
      trialDays: isPaid ? trialDays : 0,
    };
  });

/** A plan as the gateway reads it: `stores` null means unlimited, `trialDays` is 0 unless the plan is paid. */
export type Plan = z.output<typeof Plan>;

const DEFAULT_PLANS: z.input<typeof Plan>[] = [
  { id: "free", requestsPerMinute: 60, stores: 1, activeKeys: 2 },
  { id: "starter", requestsPerMinute: 300, stores: 1, activeKeys: 5 },
  { id: "growth", requestsPerMinute: 1500, stores: 5, activeKeys: 10 },
  { id: "scale", requestsPerMinute: 6000, stores: 25, activeKeys: 25 },
  { id: "enterprise", requestsPerMinute: 30_000, stores: null, activeKeys: 100 },
];

/** The list of plans. A list in the configuration replaces the default list, it is never appended to it. */
export const Plans = z
  .array(Plan, { error: "expected a list of plans" })
  .superRefine((plans, ctx) => {
    const ids = plans.map((plan) => plan.id);
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue;
      ctx.addIssue({ code: "custom", path: [index, "id"], message: `duplicate plan id "${id}"` });
    }
    if (!ids.includes("free")) ctx.addIssue({ code: "custom", message: 'no plan has the id "free"' });
  })
  .prefault(DEFAULT_PLANS);
