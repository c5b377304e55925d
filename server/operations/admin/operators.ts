import { z } from "zod";

import { conflictWhen } from "../../lib/errors.ts";
import { resource } from "../../core/resource.ts";
import { empty, made } from "../../core/reply.ts";
import { withVersion } from "../../core/schema.ts";
import { changeOf } from "../../accounts/change.ts";
import { addOperator, Operator, OperatorName, operators, removeOperator } from "../../accounts/operators.ts";
import { defineOperationsRoute } from "../context.ts";

const listOperators = resource({
  id: "admin.operators",
  collection: operators,
  view: withVersion(Operator),
  example: "opr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
}).list({ summary: "List operators with a token of their own, newest first" });

const createOperator = defineOperationsRoute({
  id: "admin.operators.create",
  method: "POST",
  path: "/operators",
  summary: "Add an operator and issue its token, shown once",
  description:
    "A `viewer` reads; `support` also acts on mails, keys and suspensions; an `owner` may do everything. The audit trail names who did it.",
  body: z.strictObject({ name: OperatorName, role: Operator.shape.role }),
  data: Operator.extend({
    token: z.string().meta({ description: "The token itself. Shown only once: only its SHA-256 is stored." }),
  }),
  status: 201,
  sensitive: true,
  errors: [conflictWhen("operator_exists", "An operator has this name.")],
  example: { body: { name: "anna", role: "support" } },
  async handle({ body }, ctx) {
    const { operator, token } = await addOperator(await changeOf(ctx), body);
    return made({ ...operator, token }, `/operators/${operator.name}`);
  },
});

const deleteOperator = defineOperationsRoute({
  id: "admin.operators.delete",
  method: "DELETE",
  path: "/operators/:name",
  summary: "Remove an operator. Its token and its console sessions are refused with immediate effect",
  params: z.object({ name: z.string().max(40) }),
  data: z.null(),
  errors: [{ type: "not_found", when: "No operator has this name." }],
  example: { params: { name: "anna" } },
  async handle({ params: { name } }, ctx) {
    await removeOperator(await changeOf(ctx), name);
    return empty();
  },
});

export const operatorRoutes = [listOperators, createOperator, deleteOperator];
