import { onLink as openLink } from "../../../core/link-page.ts";
import type { LinkKind } from "../services/mails.ts";
import { Problem } from "../../../lib/errors.ts";
import { workOf } from "../../../core/route.ts";
import type { Ctx, OpenCtx } from "../../../core/route.ts";
import { openWork } from "../services/work.ts";
import type { CateringWork } from "../services/work.ts";
import type { PageWork } from "./page.ts";

/** The work of a request with a key. */
export const cateringWorkOf = (ctx: Ctx): Promise<CateringWork> => openWork(workOf(ctx), ctx.tx);

/** Opens a link to a page of this store; throws 404 for one that was not issued for this. */
export const onLink = <R>(
  ctx: OpenCtx,
  kind: LinkKind,
  token: string,
  handle: (work: PageWork, names: readonly string[]) => Promise<R>,
): Promise<R> =>
  openLink(ctx, `catering.${kind}`, token, async (tx, linked) => {
    const work = await openWork(linked, tx);
    const face = linked.face.with({ name: work.settings.shop_name });
    return handle({ ...work, face }, linked.names);
  });

/** Whether the caller may look past a limit (`<ns>:manage`). */
export const mayManage = ({ scopes }: Pick<Ctx, "scopes">): boolean => scopes.has("catering:manage");

/** What a refusal says to a person; anything else is thrown on. */
export function reasonOf(error: unknown): { readonly detail: string; readonly code: string } {
  if (error instanceof Problem && error.type === "conflict") {
    return { detail: error.detail, code: error.options.code ?? "" };
  }
  throw error;
}

export const badState = {
  type: "conflict",
  code: "invalid_transition",
  when: "The state does not allow it",
} as const;
export const limitReached = {
  type: "conflict",
  code: "limit_reached",
  when: "The store has the maximum number of them",
} as const;
const notActive = {
  type: "conflict",
  code: "account_not_active",
  when: "The account is on hold or closed",
} as const;
/** Refusals of the purchase order or cost centre that an order or quote refers to. */
const referenceErrors = [
  { type: "conflict", code: "po_required", when: "The account needs a purchase order number" },
  { type: "conflict", code: "po_unknown", when: "No open purchase order has this number" },
  { type: "conflict", code: "po_expired", when: "The purchase order has ended" },
  { type: "conflict", code: "po_malformed", when: "The number has not the account's shape" },
  { type: "conflict", code: "cost_centre_unknown", when: "The account has no such cost centre" },
] as const;
/** Refusals of what takes nothing more of the account than before. */
export const standingErrors = [notActive, ...referenceErrors] as const;
export const poErrors = [
  ...referenceErrors,
  { type: "conflict", code: "po_exhausted", when: "The purchase order has not enough left" },
] as const;
/** Refusals of an account's credit and standing. */
export const creditErrors = [
  { type: "conflict", code: "over_credit_limit", when: "The credit limit would be exceeded" },
  notActive,
  { type: "conflict", code: "too_many_open", when: "The account has too many open orders and invoices" },
] as const;
