import { z } from "zod";

import { timeOrder } from "../../../core/collection.ts";
import { byAll, pageWhile } from "../../../core/by-value.ts";
import { list } from "../../../core/reply.ts";
import { Id, LocalDate, withVersion, listFields } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { charges } from "../repository.ts";
import { Charge, ChargeStatus } from "../schema/charge.ts";
import { FailureCategory } from "../schema/parts.ts";

const ChargeView = withVersion(Charge);
const Query = z.object({
  ...listFields,
  status: ChargeStatus.optional(),
  contract_id: Id.optional(),
  category: FailureCategory.optional(),
  due_from: LocalDate.optional().meta({
    description: "In order of the day they are due (UTC), from this one",
  }),
  due_to: LocalDate.optional().meta({ description: "Last day" }),
});

export const chargeResource = resource({
  id: "subscriptions.charges",
  collection: charges,
  view: ChargeView,
  example: "chg_8NKH5BGKS3KVV80XDF9EKPW05C",
});

const listCharges = chargeResource.custom.list({
  summary: "List charges, newest first",
  description: "All filters can be combined. With a span of days, in order of the day on which they are due.",
  query: Query,
  async handle({ query }, { tx }) {
    const { limit, cursor, due_from: from, due_to: to, status, contract_id: contractId, category } = query;
    const filters = [contractId, category && `category.${category}`, status && `status.${status}`];
    if (from === undefined && to === undefined)
      return list(await tx.peekPage(charges, byAll(filters, { limit, cursor })));
    const span = byAll(filters, { index: "due", limit, cursor, from });
    const isWithin = ({ due_at: at }: Charge) => to === undefined || timeOrder(at).slice(0, 10) <= to;
    return list(await pageWhile(tx, charges, span, isWithin));
  },
});

const getCharge = chargeResource.get({ summary: "Show a charge with its amounts, attempts and decisions" });

export const chargeListRoutes = [listCharges, getCharge];
