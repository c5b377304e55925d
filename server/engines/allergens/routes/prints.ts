import { z } from "zod";

import { listUnder } from "../../../core/by-value.ts";
import { conflictWhen } from "../../../lib/errors.ts";
import { created } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { ListQuery, withVersion } from "../../../core/schema.ts";
import { MODES } from "../data/modes.ts";
import { labelPrints, products } from "../repository.ts";
import { labelText } from "../rules/render-label.ts";
import { LabelPrint } from "../schema.ts";
import { labelsOf, refuseErrors, labelFields } from "./label.ts";
import { declaredIn } from "../rules/declare.ts";
import { newResource } from "../../../lib/new-resource.ts";
import { readProduct } from "./read-products.ts";
const View = withVersion(LabelPrint);

const printResource = routesOf({
  id: "allergens.prints",
  path: "/products/:id/prints",
  view: View,
  example: "prd_01KDVDNA00RRRRRRRRRRRRRRSK",
});

const createPrint = printResource.create({
  summary: "Record that labels of a product were printed",
  description:
    "Returns the text to print, and stores it: a later change of an ingredient lists the labels that it makes wrong.",
  body: z.strictObject({
    ...labelFields,
    copies: z.int().min(1).max(1_000_000).default(1),
    by: LabelPrint.shape.by.default(null),
  }),
  errors: [conflictWhen("label_errors", "The label has errors")],
  example: { body: { copies: 24, by: "Priya, kitchen manager" } },
  async handle({ params, body: { copies, by, ...query } }, ctx) {
    const { state, stored } = await readProduct(ctx.tx, params.id);
    const { value } = stored;
    const { product, labels, lint } = await labelsOf(ctx, value, { query, state });
    refuseErrors(lint);
    const mode = MODES[query.mode ?? state.settings.default_mode];
    const print: LabelPrint = {
      ...newResource(ctx.newId("pri"), ctx.nowAt),
      product_id: value.id,
      revision: value.revision,
      mode: mode.id,
      copies,
      by: by ?? ctx.caller,
      ...declaredIn(product, mode.id),
      text: labels.map(labelText).join("\n"),
    };
    return created(ctx.tx.create(labelPrints, print), `/products/${value.id}/prints`);
  },
});

const listPrints = printResource.list({
  summary: "List the printed labels of a product, newest first",
  query: ListQuery,
  example: { params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  handle: listUnder(products, labelPrints, "product"),
});

export const printRoutes = [createPrint, listPrints];
