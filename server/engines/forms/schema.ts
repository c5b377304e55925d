import { z } from "zod";

import { Currency, Id, Instant, LanguageTag, resourceFields, urlUpTo } from "../../core/schema.ts";
import { FORMS_LIMITS } from "./data/limits.ts";
import { Condition } from "./schema/condition.ts";
import { Field, FieldKey, NewField } from "./schema/field.ts";

const Text = z.string().trim().min(1).max(200);
export const Email = z.email().max(254);
const HttpUrl = urlUpTo(1_000, { protocol: /^https?$/ });

export const FormStatus = z.enum(["draft", "published", "paused", "closed", "archived"]);
export type FormStatus = z.output<typeof FormStatus>;

const Step = z.strictObject({
  key: FieldKey,
  title: Text,
  fields: z.array(FieldKey).min(1).max(FORMS_LIMITS.fields),
  visible_when: Condition.optional(),
});
export type Step = z.output<typeof Step>;

export const Captcha = z.enum(["none", "altcha", "turnstile", "hcaptcha"]);
export type Captcha = z.output<typeof Captcha>;

export const FormSettings = z.strictObject({
  success_message: z.string().trim().min(1).max(1_000),
  success_url: HttpUrl.nullable().meta({
    description: "Where a visitor is redirected; on an allowed origin",
  }),
  captcha: Captcha,
  honeypot_field: z.string().regex(/^[a-z_][a-z0-9_]{0,39}$/),
  strict_origin: z.boolean().meta({ description: "Refuse submissions from pages of other origins (403)" }),
  storage: z.enum(["full", "metadata", "none"]).meta({
    description: "metadata stores no answers; none stores only counters, while mails are still sent",
  }),
  retention_days: z.int().min(1).max(FORMS_LIMITS.retentionDays),
  max_submissions: z.int().min(1).max(1_000_000).nullable(),
  opens_at: Instant.nullable(),
  closes_at: Instant.nullable(),
  one_per: z.enum(["email", "visitor", "none"]),
  allow_partial: z.boolean(),
  allow_edit_until: Instant.nullable().meta({
    description: "Period in which the sender can change it, with the resume token of the receipt",
  }),
  phone_region: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .meta({ description: "Default country of phone numbers without +" }),
});
export type FormSettings = z.output<typeof FormSettings>;

export const DEFAULT_FORM_SETTINGS: FormSettings = {
  success_message: "Thank you. We have received your message.",
  success_url: null,
  captcha: "altcha",
  honeypot_field: "_gotcha",
  strict_origin: false,
  storage: "full",
  retention_days: 365,
  max_submissions: null,
  opens_at: null,
  closes_at: null,
  one_per: "none",
  allow_partial: false,
  allow_edit_until: null,
  phone_region: "GB",
};

const Notification = z.strictObject({
  to: z.array(Email).min(1).max(FORMS_LIMITS.recipients),
  when: Condition.optional().meta({ description: "Only for submissions whose answers meet the condition" }),
  title: z.string().trim().max(120).meta({ description: "Heading of the mail; its subject line is fixed" }),
});
export type Notification = z.output<typeof Notification>;

const Autoresponder = z.strictObject({
  enabled: z.boolean(),
  to_field: FieldKey.nullable().meta({ description: "Key of an e-mail field" }),
  message: z.string().trim().max(600),
  attach_copy: z.boolean().meta({
    description: "Repeat the answers of choice, number and date fields; never typed text",
  }),
});

const Consent = z.strictObject({
  key: FieldKey,
  text: z.string().trim().min(1).max(1_000),
  required: z.boolean(),
  version: z.string().trim().min(1).max(40),
});
export type Consent = z.output<typeof Consent>;

/** Mapping of form fields to fields of a quote request. */
const QuoteMapping = z.strictObject({
  name: FieldKey.optional(),
  email: FieldKey.optional(),
  phone: FieldKey.optional(),
  company: FieldKey.optional(),
  date: FieldKey.optional(),
  time: FieldKey.optional(),
  guests: FieldKey.optional(),
  postcode: FieldKey.optional(),
  address: FieldKey.optional(),
  items: FieldKey.optional(),
  dietary: FieldKey.optional(),
  allergens: FieldKey.optional(),
  budget: FieldKey.optional(),
  message: FieldKey.optional(),
});
type QuoteMapping = z.output<typeof QuoteMapping>;

const QuoteSettings = z.strictObject({
  enabled: z.boolean(),
  mapping: QuoteMapping,
  sla_hours: z.int().min(1).max(720).meta({ description: "Hours within which a request should be triaged" }),
  currency: Currency,
});

const Agent = z.strictObject({
  enabled: z.boolean(),
  tool_name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,59}$/, "Expected a name such as request_quote.")
    .nullable(),
  tool_description: z.string().trim().max(500).nullable(),
  autosubmit: z
    .boolean()
    .meta({ description: "Allow an agent to submit it without a person pressing the button" }),
});

/** Writable fields of a version of a form. */
export const formContent = {
  name: z.string().trim().min(1).max(150),
  slug: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "Expected a slug such as wedding-cakes.")
    .max(75),
  locales: z.array(LanguageTag).min(1).max(FORMS_LIMITS.locales),
  fields: z.array(Field).max(FORMS_LIMITS.fields),
  steps: z.array(Step).max(FORMS_LIMITS.steps),
  settings: FormSettings,
  notifications: z.array(Notification).max(FORMS_LIMITS.notifications),
  autoresponder: Autoresponder,
  consents: z.array(Consent).max(FORMS_LIMITS.consents),
  contact: z
    .strictObject({ name: FieldKey.nullable(), email: FieldKey.nullable(), phone: FieldKey.nullable() })
    .meta({ description: "Fields that identify the sender. Default: the first of their type" }),
  quote: QuoteSettings,
  agent: Agent,
};
export const FormContent = z.strictObject(formContent);
export type FormContent = z.output<typeof FormContent>;

export const Form = z.strictObject({
  ...resourceFields,
  name: formContent.name,
  slug: formContent.slug,
  status: FormStatus,
  form_version: z.int().positive().meta({ description: "Version of the content shown here" }),
  published_version: z.int().positive().nullable().meta({ description: "Version shown to visitors" }),
  published_at: Instant.nullable(),
  closes_at: Instant.nullable().meta({ description: "Time when the published version closes automatically" }),
  closed_reason: z.enum(["by_hand", "closes_at", "max_submissions"]).nullable(),
  submissions: z.int().nonnegative().meta({
    description:
      "Submissions so far; maintained only if max_submissions is set. See the statistics for all numbers",
  }),
  locales: formContent.locales,
  fields: formContent.fields,
  steps: formContent.steps,
  settings: formContent.settings,
  notifications: formContent.notifications,
  autoresponder: formContent.autoresponder,
  consents: formContent.consents,
  contact: formContent.contact,
  quote: formContent.quote,
  agent: formContent.agent,
});
export type Form = z.output<typeof Form>;

/** A published version. Immutable, so that old submissions and pages keep their form. */
export const FormVersion = z.strictObject({
  id: Id,
  created_at: Instant,
  form_id: Id,
  form_version: z.int().positive(),
  content: FormContent,
});
export type FormVersion = z.output<typeof FormVersion>;

const NewAutoresponder = Autoresponder.extend({
  enabled: z.boolean().default(false),
  to_field: Autoresponder.shape.to_field.default(null),
  message: Autoresponder.shape.message.default(""),
  attach_copy: z.boolean().default(false),
});
const NewQuoteSettings = QuoteSettings.extend({
  enabled: z.boolean().default(false),
  mapping: QuoteMapping.default({}),
  sla_hours: QuoteSettings.shape.sla_hours.default(24),
  currency: Currency.optional().meta({ description: "Default: the currency of the store's profile" }),
});
const NewAgent = Agent.extend({
  enabled: z.boolean().default(false),
  tool_name: Agent.shape.tool_name.default(null),
  tool_description: Agent.shape.tool_description.default(null),
  autosubmit: z.boolean().default(false),
});
const NewNotification = Notification.extend({
  title: Notification.shape.title.default(""),
});
const NewContact = formContent.contact.extend({
  name: FieldKey.nullable().default(null),
  email: FieldKey.nullable().default(null),
  phone: FieldKey.nullable().default(null),
});

/** A form in a request; omitted fields have their defaults. */
export const NewForm = z.strictObject({
  name: formContent.name,
  slug: formContent.slug.optional().meta({ description: "Default: derived from the name" }),
  locales: formContent.locales
    .optional()
    .meta({ description: "Default: the language of the store, or en-GB" }),
  fields: z.array(NewField).max(FORMS_LIMITS.fields).default([]),
  steps: formContent.steps.default([]),
  settings: FormSettings.partial().default({}),
  notifications: z.array(NewNotification).max(FORMS_LIMITS.notifications).default([]),
  autoresponder: NewAutoresponder.prefault({}),
  consents: formContent.consents.default([]),
  contact: NewContact.prefault({}),
  quote: NewQuoteSettings.prefault({}),
  agent: NewAgent.prefault({}),
});
export type NewForm = z.output<typeof NewForm>;

/** Settings are merged field by field; other fields are replaced. */
export const FormPatch = z
  .strictObject({
    name: formContent.name,
    slug: formContent.slug,
    locales: formContent.locales,
    fields: z.array(NewField).max(FORMS_LIMITS.fields),
    steps: formContent.steps,
    settings: FormSettings.partial(),
    notifications: z.array(NewNotification).max(FORMS_LIMITS.notifications),
    autoresponder: NewAutoresponder,
    consents: formContent.consents,
    contact: NewContact,
    quote: NewQuoteSettings,
    agent: NewAgent,
  })
  .partial();
export type FormPatch = z.output<typeof FormPatch>;

/** Settings for all forms of a store. */
export const settingsFields = {
  shop_name: z.string().trim().max(120),
  blocked_terms: z.array(z.string().trim().min(2).max(80)).max(FORMS_LIMITS.blockedTerms),
  turnstile_site_key: z.string().max(100).nullable(),
  hcaptcha_site_key: z.string().max(100).nullable(),
  captcha_hostnames: z
    .array(z.string().regex(/^[a-z0-9.-]{1,253}$/))
    .max(FORMS_LIMITS.origins)
    .meta({ description: "Hosts whose captcha solutions are accepted. Empty: every host" }),
  send_mail: z.boolean(),
};
export const Settings = z.strictObject({
  id: z.literal("settings"),
  ...settingsFields,
  captcha_configured: z.array(z.enum(["turnstile", "hcaptcha"])).meta({
    description: "Services with a stored secret. The secrets themselves are never returned",
  }),
  updated_at: Instant.nullable(),
});
export type Settings = z.output<typeof Settings>;

/** Secrets of the captcha services, in a document that no route returns. */
export const CaptchaSecrets = z.strictObject({
  id: z.literal("captcha"),
  turnstile: z.string().nullable(),
  hcaptcha: z.string().nullable(),
});
export type CaptchaSecrets = z.output<typeof CaptchaSecrets>;
