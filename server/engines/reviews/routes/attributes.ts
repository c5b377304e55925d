import { z } from "zod";

import { fail, invalidField } from "../../../lib/errors.ts";
import { created, defineRoute, item, list } from "../../../core/route.ts";
import { Id, ListQuery, withVersion } from "../../../core/schema.ts";
import { attributeDefinitions, attributeId } from "../repository.ts";
import { AttributeDefinition } from "../schema/settings.ts";
import { byId, missing, stale } from "./env.ts";

const View = withVersion(AttributeDefinition);

const example: z.input<typeof View> = {
  id: "atr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  key: "sweetness",
  label: "Sweetness",
  type: "scale",
  min_label: "Not sweet",
  max_label: "Very sweet",
  options: [],
  applies_to: ["product"],
  archived: false,
  version: 1,
};

const listDefinitions = defineRoute({
  id: "reviews.attributes.list",
  method: "GET",
  path: "/attributes",
  open: "public",
  summary: "List custom review attributes, newest first",
  query: ListQuery,
  data: z.array(View),
  example: { data: [example] },
  handle: async ({ query }, { tx }) => list(await tx.peekPage(attributeDefinitions, query)),
});

const Shape = AttributeDefinition.shape;

const createDefinition = defineRoute({
  id: "reviews.attributes.create",
  method: "POST",
  path: "/attributes",
  status: 201,
  summary: "Create a custom review attribute",
  description:
    "An additional question for reviewers: a scale from 1 to 5, a choice, or a text. Key and type cannot be changed " +
    "later because averages depend on them.",
  body: z.strictObject({
    key: Shape.key,
    label: Shape.label,
    type: Shape.type,
    min_label: Shape.min_label.default(null),
    max_label: Shape.max_label.default(null),
    options: Shape.options.default([]),
    applies_to: Shape.applies_to.default([]),
  }),
  data: View,
  errors: [{ type: "conflict", code: "exists", when: "An attribute with this key exists" }],
  example: {
    body: { key: "crust", label: "Crust", type: "choice", options: ["Soft", "Crisp"] },
    data: example,
  },
  async handle({ body }, ctx) {
    if ((body.type === "choice") !== body.options.length > 0) {
      throw invalidField(["options"], "`options` is required for a choice and not allowed for other types.");
    }
    const id = attributeId(body.key);
    if ((await ctx.tx.get(attributeDefinitions, id)) !== null) {
      throw fail("conflict", `The key ${body.key} is already in use. Choose another one.`, {
        code: "exists",
      });
    }
    const stored = ctx.tx.create(attributeDefinitions, {
      id,
      created_at: ctx.nowAt,
      updated_at: ctx.nowAt,
      ...body,
      archived: false,
    });
    return created(stored, `/attributes/${id}`);
  },
});

const updateDefinition = defineRoute({
  id: "reviews.attributes.update",
  method: "PATCH",
  path: "/attributes/:id",
  summary: "Change the labels of an attribute, add options, or deactivate it",
  params: z.object({ id: Id }),
  body: z
    .strictObject({
      label: Shape.label,
      min_label: Shape.min_label,
      max_label: Shape.max_label,
      options: Shape.options,
      applies_to: Shape.applies_to,
      archived: Shape.archived,
    })
    .partial(),
  data: View,
  errors: [missing, stale],
  example: { params: { id: example.id }, body: { archived: true }, data: { ...example, archived: true } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.current(attributeDefinitions, id);
    const before = stored.value;
    const next = {
      ...before,
      label: body.label ?? before.label,
      min_label: body.min_label === undefined ? before.min_label : body.min_label,
      max_label: body.max_label === undefined ? before.max_label : body.max_label,
      options: body.options ?? before.options,
      applies_to: body.applies_to ?? before.applies_to,
      archived: body.archived ?? before.archived,
      updated_at: ctx.nowAt,
    };
    if ((next.type === "choice") !== next.options.length > 0) {
      throw invalidField(["options"], "`options` is required for a choice and not allowed for other types.");
    }
    return item(ctx.tx.put(attributeDefinitions, stored, next));
  },
});

const getDefinition = defineRoute({
  id: "reviews.attributes.get",
  method: "GET",
  path: "/attributes/:id",
  summary: "Show a custom review attribute",
  params: byId,
  data: View,
  errors: [missing],
  example: { params: { id: example.id }, data: example },
  handle: async ({ params: { id } }, { tx }) => item(await tx.require(attributeDefinitions, id)),
});

export const attributeRoutes = [listDefinitions, createDefinition, getDefinition, updateDefinition];
