import { onLink as openLink } from "../../../core/link-page.ts";
import type { LinkKind } from "../services/mails.ts";
import { conflictWhen, Problem } from "../../../lib/errors.ts";
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

export const badState = conflictWhen("invalid_transition", "The state does not allow it");
export const limitReached = conflictWhen("limit_reached", "The store has the maximum number of them");
const notActive = conflictWhen("account_not_active", "The account is on hold or closed");
/** Refusals of the purchase order or cost centre that an order or quote refers to. */
const referenceErrors = [
  conflictWhen("po_required", "The account needs a purchase order number"),
  conflictWhen("po_unknown", "No open purchase order has this number"),
  conflictWhen("po_expired", "The purchase order has ended"),
  conflictWhen("po_malformed", "The number has not the account's shape"),
  conflictWhen("cost_centre_unknown", "The account has no such cost centre"),
] as const;
/** Refusals of what takes nothing more of the account than before. */
export const standingErrors = [notActive, ...referenceErrors] as const;
export const poErrors = [
  ...referenceErrors,
  conflictWhen("po_exhausted", "The purchase order has not enough left"),
] as const;
export const tooManyOpen = conflictWhen("too_many_open", "The account has too many open orders and invoices");
/** Refusals of an account's credit and standing. */
export const creditErrors = [
  conflictWhen("over_credit_limit", "The credit limit would be exceeded"),
  notActive,
  tooManyOpen,
] as const;
