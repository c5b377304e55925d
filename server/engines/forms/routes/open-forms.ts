import { z } from "zod";
import { formResource } from "./forms.ts";

import { DEMO_IDS } from "../data/demo-forms.ts";
import { readShop } from "../../../core/shop.ts";
import { wordsIn } from "../../../core/words.ts";
import { formSigner, mintFormToken } from "../../../core/form-token.ts";
import { made, ok, raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { toInstant } from "../../../lib/instant.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { embedScript } from "../data/embed-script.ts";
import { embedStyle } from "../data/embed-style.ts";
import { FORMS_TIMES } from "../data/limits.ts";
import { captchaAction, makeChallenge } from "../services/captcha.ts";
import type { LiveForm } from "../services/live-form.ts";
import { assertOpen, liveForm } from "../services/live-form.ts";
import { embedWords, readForm } from "../services/read-form.ts";
import { isAllowedOrigin } from "../services/signals.ts";
import { tally } from "../services/tally.ts";
import type { FormsWork } from "../services/work.ts";
import { formsWorkOf } from "../services/work.ts";
import { availability } from "../rules/form-state.ts";
import { formJsonSchema } from "../rules/json-schema.ts";
import { renderForm } from "../rules/render-form.ts";
import { Captcha, formContent, FormSettings } from "../schema.ts";
import { FieldKey } from "../schema/field.ts";
import { Fault, RawAnswers } from "../schema/submission.ts";
import { actionUrl, assertOrigin, closed, notPublished, publicId, shownForm } from "./env.ts";

/** Definition of a form for a page: without recipients and without senders. */
const Definition = z.object({
  id: Id,
  public_id: z.string().meta({ description: "Its id at /api/public/forms, for pages without script" }),
  action_url: z.string(),
  name: formContent.name,
  form_version: z.int().positive(),
  open: z.boolean(),
  closed_code: z.string().nullable(),
  locales: formContent.locales,
  fields: formContent.fields,
  steps: formContent.steps,
  consents: formContent.consents,
  settings: FormSettings.pick({
    success_message: true,
    honeypot_field: true,
    allow_partial: true,
    opens_at: true,
    closes_at: true,
  }),
  captcha: z.object({
    kind: Captcha,
    site_key: z.string().nullable(),
    action: z.string().nullable().meta({
      description: "data-action of the Turnstile widget: solutions with another action are held",
    }),
  }),
  agent: formContent.agent,
});
type Definition = z.output<typeof Definition>;

function definitionOf(
  { now, part, ports, settings: shop }: FormsWork,
  { content, form, version }: LiveForm,
): Definition {
  const state = availability(form.value, content.settings, now);
  const { allow_partial, captcha, closes_at, honeypot_field, opens_at, success_message } = content.settings;
  const siteKeys = {
    none: null,
    altcha: null,
    turnstile: shop.turnstile_site_key,
    hcaptcha: shop.hcaptcha_site_key,
  };
  return {
    id: form.id,
    public_id: publicId(part, form.id),
    action_url: actionUrl(ports.baseUrl, part, form.id),
    name: content.name,
    form_version: version,
    open: state.open,
    closed_code: state.open ? null : state.code,
    locales: content.locales,
    fields: content.fields,
    steps: content.steps,
    consents: content.consents,
    settings: { success_message, honeypot_field, allow_partial, opens_at, closes_at },
    captcha: { kind: captcha, site_key: siteKeys[captcha], action: captchaAction(captcha, form.id) },
    agent: content.agent,
  };
}

const definition = formResource.read("definition", {
  open: "public",
  summary: "Show the definition of a form for a page",
  description: "The published version. With a secret key, a form that was never published returns its draft.",
  data: Definition,
  errors: [notPublished],
  example: { params: { id: DEMO_IDS.contact } },
  handle: async ({ params }, ctx) =>
    ok(definitionOf(await formsWorkOf(ctx), await shownForm(ctx, params.id))),
});

const schema = formResource.read("schema", {
  open: "public",
  summary: "Show the JSON Schema 2020-12 of a form's answers",
  data: z.record(z.string(), z.unknown()),
  errors: [notPublished],
  example: {
    params: { id: DEMO_IDS.contact },
  },
  async handle({ params }, ctx) {
    const { content } = await shownForm(ctx, params.id);
    const steps = formJsonSchema(content, `${ctx.baseUrl}/v1/forms/${params.id}/schema`);
    return ok({ ...(await runInSlices(steps, ctx.tx.part)) });
  },
});

const embed = formResource.read("embed", {
  open: "public",
  summary: "Show a form as HTML or as an embed script",
  description:
    "html: a form that works without script, with a style in the store's color, labels, honeypot and, if the form is offered to agents, toolname, " +
    "tooldescription and toolparamdescription (WebMCP). js: the same with logic, captcha and uploads; put `<script " +
    `src="…/api/public/forms/{public_id}/embed.js" data-key="plat_pub_…"></script>\` where the form is to appear.`,
  query: z.object({ format: z.enum(["html", "js"]).default("html") }),
  data: z.string(),
  rawType: "text/html",
  otherTypes: ["text/javascript"],
  errors: [notPublished],
  example: { params: { id: DEMO_IDS.contact } },
  async handle({ params, query }, ctx) {
    const { content } = await shownForm(ctx, params.id);
    if (query.format === "js")
      return raw(
        "text/javascript; charset=utf-8",
        embedScript(ctx.baseUrl, params.id, await embedWords(ctx.tx, content)),
      );
    const action = actionUrl(ctx.baseUrl, ctx.tx.part, params.id);
    const shop = await readShop(ctx.tx);
    const steps = renderForm(content, {
      action,
      words: wordsIn(content.locales[0] ?? shop?.locale ?? null),
      prefix: params.id,
      token: null,
      values: {},
      faults: [],
    });
    const form = await runInSlices(steps, ctx.tx.part);
    const style = `<style>${embedStyle(shop?.color ?? null)}</style>`;
    return raw("text/html; charset=utf-8", style + form.html);
  },
});

const Token = z.object({
  token: z.string(),
  form_version: z.int().positive(),
  expires_at: Instant,
});

const mint = defineRoute({
  id: "forms.tokens.create",
  method: "POST",
  path: "/:id/tokens",
  open: "submit",
  // It is part of a view of the form, which it counts: who gets none looks like a bot.
  dryRun: true,
  status: 201,
  summary: "Create a form token for a page that shows a form",
  description:
    "It contains the time and the version of the form, and is valid for a day and one submission. A missing or " +
    "invalid token makes a submission suspicious, but does not reject it. Counts as a view.",
  data: Token,
  errors: [
    notPublished,
    ...closed,
    {
      type: "forbidden",
      code: "origin_not_allowed",
      when: "The form is restricted to the store's own pages",
    },
  ],
  example: {
    params: { id: DEMO_IDS.contact },
  },
  async handle({ params }, ctx) {
    const live = await liveForm(ctx.tx, params.id);
    assertOpen(live, ctx.now);
    const work = await formsWorkOf(ctx);
    const { origin } = ctx.visitor();
    if (ctx.isPublic) guardOrigin(work, live, origin);
    await tally(work, params.id, { views: 1 });
    const token = mintFormToken(
      {
        f: params.id,
        v: live.version,
        o: ctx.isPublic ? (origin ?? "") : "",
        iat: Math.floor(ctx.now / 1000),
        n: ctx.newId("n").replaceAll("_", ""),
      },
      formSigner(ctx.ports, ctx.tx.part),
    );
    const until = toInstant(ctx.now + DAY_MS);
    return made({ token, form_version: live.version, expires_at: until }, `/${params.id}/tokens`);
  },
});
const DAY_MS = 86_400_000;

/** Refuses other origins if the form is restricted to the store's own. */
export const guardOrigin = (work: FormsWork, live: LiveForm, origin: string | null): void =>
  assertOrigin(live, {
    isAllowed: isAllowedOrigin(work, origin),
    hasOrigins: work.origins.origins.length > 0,
  });

export const Challenge = z.object({
  algorithm: z.string(),
  challenge: z.string(),
  maxnumber: z.int().positive(),
  salt: z.string(),
  signature: z.string(),
});

const challenge = defineRoute({
  id: "forms.challenges.create",
  method: "POST",
  path: "/:id/challenges",
  open: "submit",
  dryRun: true,
  status: 201,
  summary: "Create a puzzle for the browser (ALTCHA)",
  description:
    `Valid for ${FORMS_TIMES.challengeMs / 60_000} minutes and one submission. A widget of altcha.org can fetch it ` +
    "without envelope at /api/public/forms/{public_id}/captcha.",
  data: Challenge,
  errors: [notPublished],
  example: {
    params: { id: DEMO_IDS.contact },
    // Random, unlike what the build records.
    data: {
      algorithm: "SHA-256",
      challenge: "84a9aa54d1505edbd9284a5ca94a7d9583b34eeafc19924fb836e17cc74edf95",
      maxnumber: 50_000,
      salt: "486c2d7b4b9f0609bc6ede38?expires=1780305600&",
      signature: "060c7e3c7d158069d3674116c6d19090c500067b714f9fe80768c27464ce0ddd",
    },
  },
  async handle({ params }, ctx) {
    const { form } = await liveForm(ctx.tx, params.id);
    const work = { now: ctx.now, part: ctx.tx.part, ports: ctx.ports };
    return made(await makeChallenge(work, form.id), `/${form.id}/challenges`);
  },
});

const validate = defineRoute({
  id: "forms.validations.create",
  method: "POST",
  path: "/:id/validations",
  open: "submit",
  dryRun: true,
  summary: "Validate answers without sending them",
  description:
    "Validates the whole form or one step. Returns which fields are visible and required with these answers.",
  body: z.strictObject({ data: RawAnswers, step: FieldKey.optional() }),
  data: z.object({
    valid: z.boolean(),
    errors: z.array(Fault),
    visible: z.array(z.string()),
    required: z.array(z.string()),
  }),
  errors: [notPublished],
  example: {
    params: { id: DEMO_IDS.contact },
    body: {
      data: {
        name: "Ada Byron",
        email: "ada",
        topic: "other",
        message: "Do you bake rye bread on Saturdays?",
      },
    },
  },
  async handle({ body, params }, ctx) {
    const { content } = await shownForm(ctx, params.id);
    const extent = body.step === undefined ? "whole" : { step: body.step };
    const how = { extent, unknown: "fault", key: ctx.tx.part } as const;
    const { faults, required, visible } = await readForm(content, body.data, how);
    return ok({
      valid: faults.length === 0,
      errors: [...faults],
      visible: [...visible],
      required: [...required],
    });
  },
});

const progress = defineRoute({
  id: "forms.progress.create",
  method: "POST",
  path: "/:id/progress",
  open: "submit",
  status: 201,
  summary: "Count a visit that ended without a submission",
  description:
    "Takes the keys of the fields that were filled in, in order, without answers. The embed script sends it.",
  body: z.strictObject({ fields: z.array(FieldKey).min(1).max(100) }),
  data: z.object({ counted: z.boolean() }),
  errors: [notPublished],
  example: { params: { id: DEMO_IDS.contact }, body: { fields: ["name", "email"] } },
  async handle({ body, params }, ctx) {
    const { content } = await liveForm(ctx.tx, params.id);
    const keys = new Set(content.fields.map(({ key }) => key));
    const filled = [...new Set(body.fields)].filter((key) => keys.has(key));
    const last = filled.at(-1);
    if (last !== undefined) {
      const reached = Object.fromEntries(filled.map((key) => [key, 1]));
      await tally(await formsWorkOf(ctx), params.id, { starts: 1, reached, left: { [last]: 1 } });
    }
    return made({ counted: last !== undefined }, `/${params.id}/stats`);
  },
});

export const openFormRoutes = [definition, schema, embed, mint, challenge, validate, progress];
