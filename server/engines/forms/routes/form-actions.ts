import { created, item } from "../../../core/reply.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { assertSound, refuseFaults, slugOf } from "../services/edit-form.ts";
import { allowedUrl } from "../services/submit.ts";
import { emit, invalidState, formsWorkOf } from "../services/work.ts";
import { forms, formVersions, versionId } from "../repository.ts";
import { publishFaults } from "../rules/check-form.ts";
import type { FormAction } from "../rules/form-state.ts";
import { mayTake } from "../rules/form-state.ts";
import type { Form } from "../schema.ts";
import { badState, contentIn } from "./env.ts";
import { formResource } from "./forms.ts";
import { NEW_DRAFT } from "../services/edit-form.ts";
import { newResource } from "../../../lib/new-resource.ts";

async function allowedForm(ctx: Ctx, id: string, action: FormAction): Promise<Stored<Form>> {
  const stored = await ctx.tx.require(forms, id);
  if (mayTake(action, stored.value.status)) return stored;
  throw invalidState(`A form with status \`${stored.value.status}\` does not allow this action.`);
}

const publish = formResource.action("publish", {
  summary: "Publish a form or its next version",
  description:
    "Replaces the published version with the newest one; old versions are retained for their submissions and for " +
    "pages that still show them. Publishing a closed form reopens it.",
  errors: [badState, { type: "unprocessable_content", when: "The form is incomplete or invalid" }],
  async handle({ params }, ctx) {
    const stored = await allowedForm(ctx, params.id, "publish");
    const form = stored.value;
    assertSound(form);
    const content = contentIn(form);
    const work = await formsWorkOf(ctx);
    const isOpenRedirect = allowedUrl(work, content.settings.success_url) !== content.settings.success_url;
    const { captcha, closes_at: closes, max_submissions: most } = content.settings;
    const isUnconfigured =
      (captcha === "turnstile" || captcha === "hcaptcha") &&
      !work.settings.captcha_configured.includes(captcha);
    refuseFaults([
      ...publishFaults(content),
      ...(closes !== null && Date.parse(closes) <= ctx.now
        ? [{ path: ["settings", "closes_at"], detail: "Must be in the future." }]
        : []),
      ...(most !== null && form.submissions >= most
        ? [
            {
              path: ["settings", "max_submissions"],
              detail: `The form already has ${form.submissions} submissions. Increase the limit before you reopen it.`,
            },
          ]
        : []),
      ...(isUnconfigured
        ? [
            {
              path: ["settings", "captcha"],
              detail: `Without \`captcha_secrets.${captcha}\` each submission would be held. Set it with PATCH /v1/forms/settings.`,
            },
          ]
        : []),
      ...(isOpenRedirect
        ? [
            {
              path: ["settings", "success_url"],
              detail: "The origin is not allowed for this store. Add it with PATCH /v1/account/browser.",
            },
          ]
        : []),
    ]);
    const id = versionId(form.id, form.form_version);
    if ((await ctx.tx.get(formVersions, id)) === null) {
      const { form_version } = form;
      ctx.tx.create(formVersions, { id, created_at: ctx.nowAt, form_id: form.id, form_version, content });
    }
    emit(work, "form.published", { form_id: form.id, form_version: form.form_version });
    const next: Form = {
      ...form,
      status: "published",
      published_version: form.form_version,
      published_at: ctx.nowAt,
      closes_at: content.settings.closes_at,
      closed_reason: null,
      updated_at: ctx.nowAt,
    };
    return item(ctx.tx.put(forms, stored, next));
  },
});

/** An action that only changes the status of a form. */
const action = (
  name: "pause" | "resume" | "archive",
  status: Form["status"],
  texts: { readonly summary: string; readonly description: string },
) =>
  formResource.action(name, {
    ...texts,
    errors: [badState],
    async handle({ params }, ctx) {
      const stored = await allowedForm(ctx, params.id, name);
      return item(ctx.tx.put(forms, stored, { ...stored.value, status, updated_at: ctx.nowAt }));
    },
  });

const pause = action("pause", "paused", {
  summary: "Pause a form",
  description: "Visitors are asked to try again later.",
});
const resume = action("resume", "published", {
  summary: "Resume a paused form",
  description: "The form accepts submissions again.",
});
const archive = action("archive", "archived", {
  summary: "Archive a form",
  description: "This cannot be undone. Its submissions are retained until their retention period ends.",
});

const close = formResource.action("close", {
  summary: "Close a form",
  description: "Visitors receive a 410. Publishing the form reopens it.",
  errors: [badState],
  async handle({ params }, ctx) {
    const stored = await allowedForm(ctx, params.id, "close");
    emit(await formsWorkOf(ctx), "form.closed", { form_id: stored.id, reason: "by_hand" });
    const next: Form = { ...stored.value, status: "closed", closed_reason: "by_hand", updated_at: ctx.nowAt };
    return item(ctx.tx.put(forms, stored, next));
  },
});

const duplicate = formResource.action("duplicate", {
  status: 201,
  summary: "Duplicate a form as a new draft",
  async handle({ params }, ctx) {
    const { value } = await ctx.tx.require(forms, params.id);
    const name = `${value.name.slice(0, 140)} (copy)`;
    const copy: Form = {
      ...value,
      ...newResource(ctx.newId("frm"), ctx.nowAt),
      name,
      slug: slugOf(name),
      ...NEW_DRAFT,
    };
    return created(ctx.tx.create(forms, copy), `/${copy.id}`);
  },
});

export const formActionRoutes = [publish, pause, resume, close, archive, duplicate];
