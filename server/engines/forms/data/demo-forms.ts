import { createNewId } from "../../../core/ids.ts";
import { DEFAULT_FORM_SETTINGS } from "../schema.ts";
import type { FormContent } from "../schema.ts";

const fixed = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };
const make = createNewId({ now: () => Date.UTC(2026, 0, 1) }, fixed);

/** The same in every run, so that documentation can refer to them. Lists are newest first. */
export const DEMO_IDS = { newsletter: make("frm"), quote: make("frm"), contact: make("frm") } as const;

const SHOP = "hello@demo-bakery.example";
const base = {
  locales: ["en-GB"],
  steps: [],
  consents: [],
  contact: { name: null, email: null, phone: null },
  quote: { enabled: false, mapping: {}, sla_hours: 24, currency: "GBP" },
  agent: { enabled: false, tool_name: null, tool_description: null, autosubmit: false },
  autoresponder: { enabled: false, to_field: null, message: "", attach_copy: false },
};

export const contactForm: FormContent = {
  ...base,
  name: "Contact the bakery",
  slug: "contact",
  fields: [
    { key: "name", type: "name", label: "Your name", required: true },
    { key: "email", type: "email", label: "Your e-mail address", required: true },
    {
      key: "topic",
      type: "select",
      label: "What is it about?",
      required: true,
      options: [
        { value: "order", label: "An order" },
        { value: "allergens", label: "Ingredients and allergens" },
        { value: "praise", label: "Praise or a complaint" },
        { value: "other", label: "Something else" },
      ],
    },
    {
      key: "order_number",
      type: "text",
      label: "Order number",
      help: "It is at the top of your order confirmation.",
      required: false,
      pattern_id: "reference",
      visible_when: { field: "topic", op: "eq", value: "order" },
    },
    {
      key: "message",
      type: "textarea",
      label: "Your message",
      required: true,
      min_length: 5,
      max_length: 4_000,
    },
    {
      key: "photo",
      type: "file",
      label: "A photo, if it helps",
      required: false,
      accept: ["png", "jpg", "webp"],
      max_files: 2,
      visible_when: { field: "topic", op: "in", value: ["order", "praise"] },
    },
  ],
  settings: {
    ...DEFAULT_FORM_SETTINGS,
    success_message: "Thank you for your message. We reply within one working day.",
  },
  notifications: [
    { to: [SHOP], title: "New message to the bakery" },
    {
      to: ["kitchen@demo-bakery.example"],
      title: "A question about allergens",
      when: { field: "topic", op: "eq", value: "allergens" },
    },
  ],
  autoresponder: {
    enabled: true,
    to_field: "email",
    message: "Thank you for your message. We reply within one working day.",
    attach_copy: false,
  },
};

export const quoteForm: FormContent = {
  ...base,
  name: "Request a catering quote",
  slug: "catering-quote",
  fields: [
    { key: "name", type: "name", label: "Your name", required: true },
    { key: "company", type: "text", label: "Company", required: false, autocomplete: "organization" },
    { key: "email", type: "email", label: "Your e-mail address", required: true },
    { key: "phone", type: "phone", label: "Phone", required: false },
    {
      key: "date",
      type: "date",
      label: "Day of the event",
      required: true,
      agent_description: "Local date, YYYY-MM-DD",
    },
    { key: "time", type: "time", label: "Beginning", required: false },
    { key: "guests", type: "integer", label: "Number of guests", required: true, min: 8, max: 500 },
    {
      key: "postcode",
      type: "text",
      label: "Postcode",
      required: true,
      pattern_id: "postcode_gb",
      autocomplete: "postal-code",
    },
    {
      key: "food",
      type: "checkbox",
      label: "What would you like?",
      required: true,
      options: [
        { value: "Breakfast pastries", label: "Breakfast pastries" },
        { value: "Working lunch", label: "Working lunch" },
        { value: "Afternoon tea", label: "Afternoon tea" },
        { value: "Celebration cake", label: "Celebration cake" },
      ],
    },
    {
      key: "staff",
      type: "boolean",
      label: "We need serving staff",
      required: false,
      visible_when: { field: "guests", op: "gte", value: 20 },
    },
    {
      key: "dietary",
      type: "multiselect",
      label: "Dietary needs",
      required: false,
      options: [
        { value: "vegan", label: "Vegan" },
        { value: "vegetarian", label: "Vegetarian" },
        { value: "halal", label: "Halal" },
        { value: "gluten_free", label: "Gluten free" },
      ],
    },
    { key: "budget", type: "currency", label: "Budget", currency: "GBP", required: false },
    { key: "message", type: "textarea", label: "Anything else?", required: false },
  ],
  steps: [
    { key: "you", title: "Who you are", fields: ["name", "company", "email", "phone"] },
    { key: "event", title: "Your event", fields: ["date", "time", "guests", "postcode"] },
    { key: "food_step", title: "The food", fields: ["food", "staff", "dietary", "budget", "message"] },
  ],
  settings: {
    ...DEFAULT_FORM_SETTINGS,
    allow_partial: true,
    success_message: "Thank you. You will receive a quote within one working day.",
  },
  notifications: [{ to: ["catering@demo-bakery.example"], title: "New quote request" }],
  autoresponder: {
    enabled: true,
    to_field: "email",
    message: "Thank you for your request. You will receive a quote within one working day.",
    attach_copy: true,
  },
  quote: {
    enabled: true,
    sla_hours: 24,
    currency: "GBP",
    mapping: {
      name: "name",
      company: "company",
      email: "email",
      phone: "phone",
      date: "date",
      time: "time",
      guests: "guests",
      postcode: "postcode",
      items: "food",
      dietary: "dietary",
      budget: "budget",
      message: "message",
    },
  },
  agent: {
    enabled: true,
    tool_name: "request_catering_quote",
    tool_description: "Requests a catering quote from the bakery for an event in London.",
    autosubmit: false,
  },
};

export const newsletterForm: FormContent = {
  ...base,
  name: "Newsletter of the bakery",
  slug: "newsletter",
  fields: [
    { key: "email", type: "email", label: "Your e-mail address", required: true },
    {
      key: "likes",
      type: "checkbox",
      label: "What would you like to read about?",
      required: false,
      options: [
        { value: "sourdough", label: "Sourdough" },
        { value: "seasonal", label: "Seasonal bakes" },
        { value: "events", label: "Events and courses" },
      ],
    },
    { key: "source", type: "hidden", label: "Source", required: false, prefill_param: "from" },
  ],
  settings: {
    ...DEFAULT_FORM_SETTINGS,
    one_per: "email",
    retention_days: 730,
    success_message: "Thank you for subscribing. The next newsletter is sent on Friday.",
  },
  notifications: [],
  consents: [
    {
      key: "newsletter",
      text: "Send me the bakery's newsletter once a month. I can unsubscribe at any time.",
      required: true,
      version: "2026-01",
    },
  ],
};
