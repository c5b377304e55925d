import { z } from "zod";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { attributeDefinitions, attributeId } from "../repository.ts";
import { AttributeDefinition } from "../schema/settings.ts";
import { newResource } from "../../../lib/new-resource.ts";

const View = withVersion(AttributeDefinition);

const example = "atr_01JD8Z5T9QK3M4N5P6R7S8T9V0";

const attributeResource = resource({
  id: "reviews.attributes",
  collection: attributeDefinitions,
  view: View,
  example,
});

const listDefinitions = attributeResource.list({
  summary: "List custom review attributes, newest first",
  open: "public",
});

const Shape = AttributeDefinition.shape;

const createDefinition = attributeResource.create({
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
  errors: [conflictWhen("exists", "An attribute with this key exists")],
  example: { body: { key: "crust", label: "Crust", type: "choice", options: ["Soft", "Crisp"] } },
  make: async (body, ctx) => {
    if ((body.type === "choice") !== body.options.length > 0) {
      throw invalidField(["options"], "`options` is required for a choice and not allowed for other types.");
    }
    const id = attributeId(body.key);
    if ((await ctx.tx.get(attributeDefinitions, id)) !== null) {
      throw conflict("exists", `The key ${body.key} is already in use. Choose another one.`);
    }
    return {
      ...newResource(id, ctx.nowAt),
      ...body,
      archived: false,
    };
  },
});

const updateDefinition = attributeResource.update({
  summary: "Change the labels of an attribute, add options, or deactivate it",
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
  example: { body: { archived: true } },
  change: (before, body, ctx) => {
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
    return next;
  },
});

const getDefinition = attributeResource.get({ summary: "Show a custom review attribute" });

export const attributeRoutes = [listDefinitions, createDefinition, getDefinition, updateDefinition];
