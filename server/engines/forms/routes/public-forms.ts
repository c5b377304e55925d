import { z } from "zod";

import { Problem } from "../../../lib/errors.ts";
import { checkFormToken, formSigner, mintFormToken } from "../../../core/form-token.ts";
import { html } from "../../../lib/html.ts";
import { plainFace, readFace } from "../../../core/face.ts";
import type { Face } from "../../../core/face.ts";
import type { Tx } from "../../../core/tx.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute, ok, raw } from "../../../core/route.ts";
import { embedScript } from "../data/embed-script.ts";
import { makeChallenge } from "../services/captcha.ts";
import { storeFile } from "../services/files.ts";
import type { LiveForm } from "../services/live-form.ts";
import { assertOpen, findLiveForm, liveForm } from "../services/live-form.ts";
import type { Sending } from "../services/submit.ts";
import { readSettings } from "../repository.ts";
import { allowedUrl, submit } from "../services/submit.ts";
import { tally } from "../services/tally.ts";
import type { Work } from "../services/work.ts";
import { visitedWorld } from "../services/work.ts";
import { isEmpty } from "../rules/condition.ts";
import { gatherParts, renderForm } from "../rules/render-form.ts";
import type { Fault, Receipt } from "../schema/submission.ts";
import { actionUrl } from "./env.ts";
import { Challenge, guardOrigin } from "./open-forms.ts";

const Params = z.object({ public_id: z.string().max(120) });
const params = { public_id: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0.frm_01JD8Z5T9QK3M4N5P6R7S8T9V0" };
/** A plain HTML form sends any fields. */
const Body = z.record(z.string().max(100), z.unknown());

/** The URL contains a store's partition and a form's id: both are in the store's page anyway. */
function targetOf(publicId: string): { readonly part: string; readonly formId: string } | null {
  const match = /^(sto_[0-9a-z]{26}(?:_test)?)\.(frm_[0-9A-Z]{26})$/.exec(publicId);
  return match === null ? null : { part: match[1] ?? "", formId: match[2] ?? "" };
}

const show = defineOpenRoute({
  id: "public.forms.show",
  method: "GET",
  path: "/forms/:public_id",
  open: "public",
  summary: "Show a page with a form that works without script",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  refusal: (refused) => showRefusal(refused),
  example: { params },
  async handle({ params: { public_id: publicId } }, ctx) {
    const target = targetOf(publicId);
    if (target === null) return nowhere(ctx);
    return ctx.runTx(target.part, async (tx) => {
      const live = await findLiveForm(tx, target.formId);
      if (live === null) return nowhere(ctx);
      const work = await visitedWorld(ctx, tx);
      const face = await faceOf(ctx, tx, live);
      const refusal = whyNot(face, live, work.now);
      if (refusal !== null) return refusal;
      await tally(work, live.form.id, { views: 1 });
      return formPage({ face, work, live }, { values: {}, faults: [], status: 200 });
    });
  },
});

const script = defineOpenRoute({
  id: "public.forms.script",
  method: "GET",
  path: "/forms/:public_id/embed.js",
  open: "public",
  summary: "Show the script that embeds a form in a page",
  params: Params,
  data: z.string(),
  rawType: "text/javascript",
  hidden: true,
  example: { params },
  async handle({ params: { public_id: publicId } }, ctx) {
    const target = targetOf(publicId);
    const live =
      target === null ? null : await ctx.runTx(target.part, (tx) => findLiveForm(tx, target.formId));
    if (live === null) return nowhere(ctx);
    return raw("text/javascript; charset=utf-8", embedScript(ctx.baseUrl, live.form.id), {
      headers: { "Cache-Control": "public, max-age=300", "Cross-Origin-Resource-Policy": "cross-origin" },
    });
  },
});

const challenge = defineOpenRoute({
  id: "public.forms.captcha",
  method: "GET",
  path: "/forms/:public_id/captcha",
  open: "public",
  summary: "Show a puzzle for a widget of altcha.org",
  params: Params,
  data: Challenge,
  hidden: true,
  example: { params },
  async handle({ params: { public_id: publicId } }, ctx) {
    const target = targetOf(publicId);
    return ctx.runTx(target?.part ?? "none", async (tx) => {
      const live = await liveForm(tx, target?.formId ?? "");
      const { now, part, ports } = await visitedWorld(ctx, tx);
      return ok(await makeChallenge({ now, part, ports }, live.form.id));
    });
  },
});

const send = defineOpenRoute({
  id: "public.forms.send",
  method: "POST",
  path: "/forms/:public_id",
  open: "submit",
  summary: "Submit a form from a page without script",
  description:
    "urlencoded or multipart. Responds with a 303 redirect to the form's success_url if its origin is the store's " +
    "own, otherwise with a small page.",
  params: Params,
  body: Body,
  form: "multipart",
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  refusal: (refused) => showRefusal(refused),
  example: { params, body: { name: "Ada Byron" } },
  async handle({ body, params: { public_id: publicId } }, ctx) {
    const target = targetOf(publicId);
    if (target === null) return nowhere(ctx);
    const found = await ctx.runTx(target.part, async (tx) => {
      const live = await findLiveForm(tx, target.formId);
      return live === null ? null : { live, face: await faceOf(ctx, tx, live) };
    });
    if (found === null) return nowhere(ctx);
    const { face, live } = found;
    // Before any file is stored: a form that accepts nothing must not fill the store.
    const refusal = whyNot(face, live, ctx.now);
    if (refusal !== null) return refusal;
    const values = gatherParts(body);
    try {
      const raw = await withFiles(ctx, live, target.part, values);
      return await ctx.runTx(target.part, async (tx) =>
        sent(await visitedWorld(ctx, tx), ctx, { body, raw, face, formId: target.formId }),
      );
    } catch (error) {
      const faults = faultsOf(error);
      return ctx.runTx(target.part, async (tx) =>
        formPage(
          { face, work: await visitedWorld(ctx, tx), live },
          {
            values,
            faults,
            status: 422,
            token: text(body["_token"]),
          },
        ),
      );
    }
  },
});

interface Posted {
  readonly body: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly formId: string;
  readonly face: Face;
}

async function sent(work: Work, ctx: OpenCtx, posted: Posted): Promise<Reply<never>> {
  const { body, face, formId, raw: answers } = posted;
  const live = await findLiveForm(work.tx, formId);
  if (live === null) return nowhere(ctx);
  const refusal = whyNot(face, live, work.now);
  if (refusal !== null) return refusal;
  const { address_hash: visitor } = ctx.visitor();
  const trap = live.content.settings.honeypot_field;
  const sending: Sending = {
    formId,
    channel: "nojs",
    token: text(body["_token"]),
    captcha: text(body["altcha"] ?? body["cf-turnstile-response"] ?? body["h-captcha-response"]),
    honeypot: !isEmpty(body[trap]),
    origin: originOf(work, ctx, formId, text(body["_token"])),
    visitor,
    once: body,
    raw: answers,
    consents: [body["consents"]].flat().filter((key) => typeof key === "string"),
    about: {
      locale: null,
      page_url: ctx.header("referer")?.slice(0, 2_000) ?? null,
      referrer: null,
      utm: {},
    },
    partial: null,
  };
  try {
    guardOrigin(work, live, sending.origin);
    return thanks(face, live, await submit(work, live, sending));
  } catch (error) {
    if (error instanceof Problem && (error.type === "conflict" || error.type === "forbidden")) {
      return note(face, error.type === "conflict" ? 409 : 403, [live.content.name, reasonIn(face, error)]);
    }
    throw error;
  }
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Origin of the page. Our own pages send no referrer, so that browsers send `Origin: null`:
 * the form token is used instead.
 */
function originOf(work: Work, ctx: OpenCtx, formId: string, token: string | undefined): string | null {
  const { origin } = ctx.visitor();
  if (origin !== null && origin !== "null") return origin;
  const referer = ctx.header("referer");
  if (referer !== undefined && URL.canParse(referer)) return new URL(referer).origin;
  const own = new URL(work.ports.baseUrl).origin;
  const sign = formSigner(work.ports, work.part);
  const judged = checkFormToken(token ?? "", { form: formId, origin: null, now: work.now, sign });
  return judged.token?.o === own ? own : null;
}

const Sent = z.object({ name: z.string(), content: z.base64() });

/** Stores the files of a multipart request, and puts their ids into the answers. */
async function withFiles(
  { newId, now, ports, runTx }: OpenCtx,
  { content, form }: LiveForm,
  part: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const raw: Record<string, unknown> = { ...values };
  for (const field of content.fields.filter(({ type }) => type === "file")) {
    const sentValues = [values[field.key]].flat().flatMap((one) => Sent.safeParse(one).data ?? []);
    const ids: string[] = [];
    for (const { content: bytes, name } of sentValues.slice(0, field.max_files ?? 1)) {
      const file = { formId: form.id, field, name, bytes: Buffer.from(bytes, "base64") };
      ids.push((await keepNamed({ newId, now, part, ports, runTx }, file)).id);
    }
    raw[field.key] = ids;
  }
  return raw;
}

/** An error of a file is shown at its field. */
async function keepNamed(...[env, file]: Parameters<typeof storeFile>): ReturnType<typeof storeFile> {
  try {
    return await storeFile(env, file);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const detail = error.options.errors?.[0]?.detail ?? error.detail;
    throw new Problem("unprocessable_content", detail, {
      errors: [{ pointer: `#/data/${file.field.key}`, detail }],
    });
  }
}

/** Errors that a person can correct; all others are rethrown. */
function faultsOf(error: unknown): Fault[] {
  const isCorrectable =
    error instanceof Problem &&
    (error.type === "unprocessable_content" || error.type === "content_too_large");
  if (!isCorrectable) throw error;
  return (error.options.errors ?? []).map(({ detail, pointer = "" }) => ({
    field: pointer.split("/").at(-1) ?? "",
    code: "invalid",
    message: detail,
  }));
}

/** A form is in its own language, where it has one; else in that of the visitor or the store. */
const faceOf = async (ctx: OpenCtx, tx: Tx, { content }: LiveForm): Promise<Face> =>
  (await readFace(ctx, tx)).with({
    name: (await readSettings(tx)).shop_name,
    locale: content.locales[0] ?? null,
  });

/** Refusals are described in English. */
const reasonIn = (face: Face, { detail }: Problem): string =>
  face.locale.startsWith("en") ? detail : face.say("form.closed");

const note = (face: Face, status: number, [title, detail]: readonly [string, string]): Reply<never> =>
  face.page({
    status,
    title,
    body: html`<main>
      <h1>${title}</h1>
      <p class="note">${detail}</p>
    </main>`,
  });

function nowhere(ctx: OpenCtx): Reply<never> {
  const face = plainFace(ctx);
  return note(face, 404, [face.say("form.missing_title"), face.say("form.missing_text")]);
}

function whyNot(face: Face, live: LiveForm, now: number): Reply<never> | null {
  try {
    assertOpen(live, now);
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const status = error.type === "gone" ? 410 : error.type === "not_found" ? 404 : 409;
    return note(face, status, [live.content.name, reasonIn(face, error)]);
  }
}

function thanks({ page, say }: Face, live: LiveForm, receipt: Receipt): Reply<never> {
  if (receipt.redirect_url !== null) {
    return raw("text/plain; charset=utf-8", "", { status: 303, headers: { Location: receipt.redirect_url } });
  }
  return page({
    title: live.content.name,
    body: html`<main>
      <h1>${live.content.name}</h1>
      <p class="note" role="status">${receipt.message}</p>
      <p class="soft">${say("form.reference", { reference: receipt.respondent_ref })}</p>
    </main>`,
  });
}

/** Correcting a field does not make a visitor look faster: a valid token is reused. */
function tokenFor({ newId, now, part, ports }: Work, { form, version }: LiveForm, before = ""): string {
  const sign = formSigner(ports, part);
  const { verdict } = checkFormToken(before, { form: form.id, origin: null, now, sign });
  if (verdict === "ok" || verdict === "too_fast") return before;
  const o = new URL(ports.baseUrl).origin;
  const n = newId("n").replaceAll("_", "");
  return mintFormToken({ f: form.id, v: version, o, iat: Math.floor(now / 1000), n }, sign);
}

function formPage(
  { face, work, live }: { readonly face: Face; readonly work: Work; readonly live: LiveForm },
  shown: {
    readonly values: Readonly<Record<string, unknown>>;
    readonly faults: readonly Fault[];
    readonly status: number;
    /** The previous token of the page. */
    readonly token?: string | undefined;
  },
): Reply<never> {
  const { part, ports } = work;
  const token = tokenFor(work, live, shown.token);
  const form = renderForm(live.content, {
    action: actionUrl(ports.baseUrl, part, live.form.id),
    prefix: "form",
    words: face,
    token,
    values: shown.values,
    faults: shown.faults,
  });
  // Browsers apply this policy to the redirect after a form post as well.
  const url = allowedUrl(work, live.content.settings.success_url);
  const policy = url === null ? {} : { policy: `form-action 'self' ${new URL(url).origin}` };
  return face.page({
    ...policy,
    status: shown.status,
    title: live.content.name,
    body: html`<main>
      <h1>${live.content.name}</h1>
      ${shown.faults.length === 0 ? null : html`<p class="note bad" role="alert">${face.say("form.check_fields")}</p>`}
      ${form}
    </main>`,
  });
}

export const publicFormRoutes = [show, script, challenge, send];
