import { fail } from "../../../lib/errors.ts";
import { withoutMarks } from "../../../lib/text/marks.ts";
import type { Ctx } from "../../../core/route.ts";
import type { FormFault } from "../rules/check-form.ts";
import { formFaults } from "../rules/check-form.ts";
import { DEFAULT_FORM_SETTINGS } from "../schema.ts";
import type { Form, FormPatch, NewForm } from "../schema.ts";
import { formWords } from "./read-form.ts";
import { invalidState } from "./work.ts";
import { newResource } from "../../../lib/new-resource.ts";

type At = Pick<Ctx, "newId" | "nowAt">;

/** State of a form that was never published. */
export const NEW_DRAFT = {
  status: "draft",
  form_version: 1,
  published_version: null,
  published_at: null,
  closes_at: null,
  closed_reason: null,
  submissions: 0,
} as const;

/** A new draft. */
export function newForm({ newId, nowAt }: At, body: NewForm & Pick<Form, "locales" | "quote">): Form {
  const { settings, slug, ...rest } = body;
  return {
    ...newResource(newId("frm"), nowAt),
    ...NEW_DRAFT,
    ...rest,
    slug: slug ?? slugOf(body.name),
    settings: {
      ...DEFAULT_FORM_SETTINGS,
      success_message: formWords(body).say("form.thanks"),
      ...named(settings),
    },
    fields: inCurrency(rest.fields, rest.quote),
  };
}

/** A form after a patch; the published version does not change, so the patch creates the next one. */
export function editedForm({ nowAt }: Pick<At, "nowAt">, form: Form, body: FormPatch): Form {
  if (form.status === "archived") throw invalidState("An archived form cannot be changed.");
  const { quote: given, settings, fields, ...rest } = body;
  const quote =
    given === undefined ? form.quote : { ...given, currency: given.currency ?? form.quote.currency };
  return {
    ...form,
    ...named(rest),
    quote,
    fields: fields === undefined ? form.fields : inCurrency(fields, quote),
    settings: { ...form.settings, ...named(settings ?? {}) },
    form_version: form.form_version === form.published_version ? form.form_version + 1 : form.form_version,
    updated_at: nowAt,
  };
}

/** Fields for amounts, in the currency of the form where they have none of their own. */
const inCurrency = (fields: Form["fields"], { currency }: Pick<Form["quote"], "currency">): Form["fields"] =>
  fields.map((field) =>
    field.type === "currency" && field.currency === undefined ? { ...field, currency } : field,
  );

/** Fields that are present: optional ones of a schema may be undefined. */
const named = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  // Undefined values were just removed.
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/** Throws 422 with every inconsistency. */
export function assertSound(form: Form): void {
  refuseFaults(formFaults(form));
}

export function refuseFaults(faults: readonly FormFault[]): void {
  if (faults.length === 0) return;
  throw fail(
    "unprocessable_content",
    faults.length === 1 ? "1 field is invalid." : `${faults.length} fields are invalid.`,
    {
      errors: faults.map(({ detail, path }) => ({ pointer: `#/${path.join("/")}`, detail })),
    },
  );
}

/** "Wedding cakes & more" → "wedding-cakes-more". A name without Latin letters has the slug "form". */
export function slugOf(name: string): string {
  const plain = withoutMarks(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 75)
    .replace(/-+$/, "");
  return plain === "" ? "form" : plain;
}
