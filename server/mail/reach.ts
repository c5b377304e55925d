import { toInstant } from "../lib/instant.ts";
import type { Budgets, BudgetName, Payer, StoreOwner } from "../core/budgets.ts";
import type { Clock } from "../core/clock.ts";
import { fromText } from "../core/collection.ts";
import { sha256Hex } from "../core/ids.ts";
import { mailboxOf } from "../lib/mailbox.ts";
import { mailDueAt, storeMails } from "../core/store-mail.ts";
import type { StoreMail } from "../core/store-mail.ts";
import { budgetExhausted, visitorOf, visitorsOf } from "../core/budgets.ts";
import type { Op, StoreDriver } from "../storage/contract.ts";
import { normaliseAddress } from "./address.ts";
import { readChoices } from "./choices.ts";

/** The customer that a store's mail is sent for. */
export interface MailOwner extends StoreOwner {
  /** Proven by the signup. */
  readonly email: string;
  /** The store's identifier, named in its mail. */
  readonly store: string;
}

export interface ReachDeps {
  readonly store: Pick<StoreDriver, "getMany" | "page">;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly findOwner: (part: string) => Promise<MailOwner | null>;
}

/** Whether a mail may leave now: not at all where its reader stopped it, later where a budget is used up. */
export type Verdict =
  | { readonly kind: "send" }
  | { readonly kind: "stopped" }
  | { readonly kind: "later"; readonly dueAt: string };

/**
 * Mails that everybody can cause by a form or a review. They have half of the budgets, those of one address a quarter of that, and wait
 * where it is used up: what the shop itself writes to its customers leaves all the same, and nothing is refused, to the shop or to visitors.
 */
const OF_VISITORS: ReadonlySet<string> = new Set([
  "forms-notification",
  "forms-receipt",
  "review-confirmation",
]);
/** Of these, those to an address that the visitor typed, which may be anybody's. */
const TO_TYPED: ReadonlySet<string> = new Set(["forms-receipt", "review-confirmation"]);

/**
 * Mails of a day to one mailbox whose reader has not said that they are welcome, of all customers whose new recipients are limited, and of
 * those that visitors cause, of all customers: who signs up often could fill the mailbox of a stranger.
 */
const MAILBOX_MAX = 30;

/** Retried after this where a budget does not say when it renews. */
const RETRY_MS = 3_600_000;

/** Decides about a mail that is about to leave and takes it from the budgets: the exact check, over all nodes. */
export async function judgeMail(
  deps: ReachDeps,
  owner: MailOwner,
  about: { readonly part: string; readonly mail: Pick<StoreMail, "to" | "template" | "visitor"> },
): Promise<Verdict> {
  const { budgets, clock } = deps;
  const { template, to, visitor } = about.mail;
  const { isNew, isStopped } = await recipientOf(deps, owner, about.part, to);
  if (isStopped) return { kind: "stopped" };
  if (!owner.isActive) return { kind: "later", dueAt: toInstant(clock.now() + RETRY_MS) };
  const visitors = visitorsOf(owner);
  const ofVisitor = visitor === undefined ? [] : [visitorOf(visitors, visitor)];
  const payers = OF_VISITORS.has(template) ? [...ofVisitor, visitors, owner] : [owner];
  const needed: readonly BudgetName[] = isNew ? ["mails", "new_recipients"] : ["mails"];
  const all = payers.flatMap((payer) => needed.map((budget) => ({ payer, budget })));
  if (isNew && (owner.limits.new_recipients !== null || TO_TYPED.has(template)))
    all.unshift({ payer: mailboxPayer(owner, to), budget: "new_recipients" });
  const later = async (payer: Payer, budget: BudgetName): Promise<Verdict> => {
    const { renewsAtMs } = await budgets.look(payer, budget);
    return { kind: "later", dueAt: toInstant(renewsAtMs ?? clock.now() + RETRY_MS) };
  };
  // Looked at first, so that a mail that has to wait for one budget takes nothing from another.
  for (const { payer, budget } of all)
    if ((await budgets.look(payer, budget)).remaining === 0) return later(payer, budget);
  for (const { payer, budget } of all) if (!(await budgets.take(payer, budget))) return later(payer, budget);
  return { kind: "send" };
}

/** The mailbox that mails of all customers count for. */
const mailboxPayer = ({ limits }: Payer, to: string): Payer => ({
  customerId: `mailbox.${sha256Hex(mailboxOf(normaliseAddress(to)))}`,
  limits: { ...limits, new_recipients: MAILBOX_MAX },
});

/** New is an address whose reader has neither signed up for this store nor said that its mail is welcome. */
async function recipientOf(
  deps: ReachDeps,
  owner: MailOwner,
  part: string,
  to: string,
): Promise<{ readonly isNew: boolean; readonly isStopped: boolean }> {
  const { isStopped, isWelcome } = await readChoices(deps.store, part, to);
  const isOwn = normaliseAddress(to) === normaliseAddress(owner.email);
  return { isStopped, isNew: !isOwn && !isWelcome };
}

/**
 * Throws 429 where a commit would write more mails than the budgets of its store have left, those that are waiting counted in: so
 * that a caller learns at once what would otherwise only leave days later.
 */
export async function admitMails(deps: ReachDeps, part: string, ops: readonly Op[]): Promise<void> {
  const staged = stagedMails(part, ops);
  if (staged.length === 0) return;
  const owner = await deps.findOwner(part);
  if (owner === null) return;
  await deps.budgets.require(owner, "mails", staged.length);
  const limit = owner.limits.new_recipients;
  if (limit === null) return;
  const isNew = async ({ to }: StoreMail): Promise<boolean> =>
    (await recipientOf(deps, owner, part, to)).isNew;
  const added = await count(staged, isNew);
  if (added === 0) return;
  const state = await deps.budgets.look(owner, "new_recipients");
  const waiting = await count(await dueMails(deps, part, limit + 1), isNew);
  const remaining = Math.max(0, limit - state.used - waiting);
  if (added > remaining) throw budgetExhausted({ ...state, remaining }, added, deps.clock.now());
}

/** The mails among the operations of a commit, but for those that wait where a budget is used up. */
function stagedMails(part: string, ops: readonly Op[]): StoreMail[] {
  const prefix = `${part}:${storeMails.name}:`;
  return ops
    .flatMap((op) => ("put" in op && op.put.startsWith(prefix) ? [fromText(storeMails, op.value)] : []))
    .filter(({ template }) => !OF_VISITORS.has(template));
}

/** The mails of a store that are to leave now, not those that already wait for a later window. */
async function dueMails(deps: ReachDeps, part: string, limit: number): Promise<StoreMail[]> {
  const { items } = await deps.store.page(part, `ix.${storeMails.name}.waiting`, {
    prefix: "@",
    limit: Math.min(limit, WAITING_READ_MAX),
    of: storeMails.name,
  });
  const nowAt = toInstant(deps.clock.now());
  return items
    .map((doc) => fromText(storeMails, doc.value))
    .filter((storeMail) => mailDueAt(storeMail) <= nowAt && !OF_VISITORS.has(storeMail.template));
}

const WAITING_READ_MAX = 1_000;

async function count<T>(items: readonly T[], isCounted: (item: T) => Promise<boolean>): Promise<number> {
  const counted = await Promise.all(items.map(isCounted));
  return counted.filter(Boolean).length;
}
