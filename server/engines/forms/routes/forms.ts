import { shops } from "../../../core/shop.ts";
import { z } from "zod";
import { awaitTurns, requireRoom } from "../../../core/room.ts";

import { pageOf } from "../../../core/computed-page.ts";
import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { mapAll, readEach } from "../../../core/read-page.ts";
import { empty, list } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { assertSound, editedForm, newForm } from "../services/edit-form.ts";
import { forms, formVersions, submissions } from "../repository.ts";
import { Form, FormPatch, FormStatus, FormVersion, NewForm } from "../schema.ts";
import { badState } from "./env.ts";
import { listUnder } from "../../../core/by-value.ts";

const FormView = withVersion(Form);

const Query = z.object({
  ...listFields,
  status: FormStatus.optional(),
  q: z.string().trim().min(1).max(100).optional().meta({ description: "Part of the name" }),
});

export const formResource = resource({
  id: "forms.forms",
  path: "",
  collection: forms,
  view: FormView,
  example: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listForms = formResource.custom.list({
  summary: "List forms, newest first",
  description:
    "Each with the content of its newest version, published or not. Filter by status or by a part of the name.",
  query: Query,
  async handle({ query }, { tx }) {
    const { cursor, limit, q, status } = query;
    if (q === undefined) {
      const value = status === undefined ? {} : { index: "by", value: `status.${status}` };
      return list(await tx.peekPage(forms, { ...value, limit, cursor }));
    }
    const matches = await mapAll(tx, forms, {}, ({ id, name, status: own }) =>
      name.toLowerCase().includes(q.toLowerCase()) && (status === undefined || own === status) ? id : null,
    );
    const ids = matches.filter((id) => id !== null);
    const page = pageOf(
      ids.map((id, at) => ({ at, id })),
      ({ at }) => String(at).padStart(6, "0"),
      { part: tx.part, list: "forms" },
      query,
    );
    const shown = await tx.getAll(
      forms,
      page.items.map(({ id }) => id),
    );
    return list({ items: shown.filter((form) => form !== null), limit: page.limit, next: page.next });
  },
});

const faults = {
  type: "unprocessable_content",
  when: "The form is inconsistent; the response lists each place",
} as const;

const DEFAULT_CURRENCY = "GBP";

const createForm = formResource.create({
  summary: "Create a form",
  description: "The form is a draft until it is published. Omitted fields have their defaults.",
  body: NewForm,
  errors: [faults, conflictWhen("limit_reached", "The store has reached its limit of forms")],
  example: {
    body: {
      name: "Contact us",
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
            { value: "other", label: "Something else" },
          ],
        },
        {
          key: "order_number",
          type: "text",
          label: "Order number",
          required: false,
          visible_when: { field: "topic", op: "eq", value: "order" },
        },
        { key: "message", type: "textarea", label: "Your message", required: true, max_length: 4000 },
      ],
    },
  },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, forms, { max: FORMS_LIMITS.forms, noun: "forms" });
    const shop = (await ctx.tx.get(shops, "shop"))?.value;
    const currency = shop?.currency ?? DEFAULT_CURRENCY;
    const form = newForm(ctx, {
      ...body,
      locales: body.locales ?? [shop?.locale ?? "en-GB"],
      settings: { phone_region: shop?.country ?? undefined, ...body.settings },
      quote: { ...body.quote, currency: body.quote.currency ?? currency },
    });
    assertSound(form);
    return form;
  },
});

const getForm = formResource.get({ summary: "Show a form" });

const updateForm = formResource.update({
  summary: "Change a form",
  description:
    "Settings are merged field by field, other fields are replaced. The published version does not change: the " +
    "change creates the next version, which goes live with publish.",
  body: FormPatch,
  errors: [badState, faults],
  example: {
    body: { name: "Ask us anything", settings: { retention_days: 90 } },
  },
  change: (before, body, ctx) => {
    const form = editedForm(ctx, before, body);
    assertSound(form);
    return form;
  },
});

const deleteForm = defineRoute({
  id: "forms.forms.delete",
  method: "DELETE",
  path: "/:id",
  summary: "Delete a form without submissions",
  description:
    "A form with submissions cannot be deleted, because they refer to its questions; archive it instead.",
  data: z.null(),
  errors: [conflictWhen("form_has_submissions", "The form has submissions")],
  example: { params: { id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params }, ctx) {
    const before = await ctx.current(forms, params.id);
    await awaitTurns(ctx.tx, submissions.name);
    const sent = await ctx.tx.peekPage(submissions, { index: "by", value: params.id, limit: 1 });
    if (sent.items.length > 0) {
      throw conflict(
        "form_has_submissions",
        "The form has submissions. Archive it instead, or delete them first.",
      );
    }
    const { tx } = ctx;
    const versions = { index: "form", value: params.id };
    for await (const version of readEach(tx.part, formVersions, versions, (of, page) =>
      tx.peekPage(of, page),
    ))
      tx.remove(formVersions, version);
    ctx.tx.remove(forms, before);
    return empty();
  },
});

const VersionView = withVersion(FormVersion);

const listVersions = formResource.read("versions", {
  summary: "Versions of a form as they were published, newest first",
  query: z.object(listFields),
  data: z.array(VersionView),
  handle: listUnder(forms, formVersions, "form"),
});

export const formRoutes = [listForms, createForm, getForm, updateForm, deleteForm, listVersions];
