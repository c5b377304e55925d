import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import { storeFace } from "../../../core/face.ts";
import type { Words } from "../../../core/words.ts";
import { stageStoreMail, withdrawStoreMail } from "../../../core/store-mail.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { Work } from "../../../core/ports.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { charges, contracts, events, isUnfinished, readPolicy, readSettings } from "../repository.ts";
import { agendaOf, nextDueAt } from "../rules/agenda.ts";
import { isOwed } from "../rules/charge-state.ts";
import { planNotices } from "../rules/compliance.ts";
import { billingDate, isAfterEnd } from "../rules/cycle-dates.ts";
import type { Charge } from "../schema/charge.ts";
import { stageInvoices } from "./invoices.ts";
import type { Contract, Settings } from "../schema.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import type { EngineEvent, EventType } from "../schema/event.ts";

export interface ContractMail {
  /** What the mail is about: with the contract it makes the id, so that it is sent once. */
  readonly about: string;
  readonly template: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A contract and its unfinished charges, opened to be changed. All that becomes of it is staged by `close` in one
 * commit: documents, events, mails and the time of the next look. The contract is always written, so that of two who
 * change anything about it at once, one starts again.
 */
export interface ContractWork extends Work {
  readonly tx: Tx;
  /** Local date at the instant of the change. */
  readonly today: string;
  readonly policy: DunningPolicy;
  readonly settings: Settings;
  /** Of the store: its mails are in its language. */
  readonly words: Words;
  contract: Contract;
  /** By id: those that are unfinished, and those that were touched. */
  readonly charges: Map<string, Charge>;
  readonly emitted: EngineEvent[];
  /** Takes the next value of a charge. */
  put(charge: Charge): void;
  /** Takes a stored charge in that is finished, to be changed all the same. */
  adopt(charge: Stored<Charge>): void;
  emit(type: EventType, charge: Charge | null, data?: EngineEvent["data"]): void;
  mail(message: ContractMail): void;
  /** Takes back a mail that has not left. */
  withdrawMail(about: string): void;
}

export interface OpenedContract extends ContractWork {
  readonly stored: Stored<Contract>;
  readonly before: Map<string, Stored<Charge>>;
  readonly mails: ContractMail[];
  readonly withdrawn: string[];
}

/** Opens a stored contract; `chargeIds` are finished charges that are needed as well. */
export async function openWork(
  { now, nowAt, part, newId, ports }: Work,
  tx: Tx,
  stored: Stored<Contract>,
  chargeIds: readonly string[] = [],
): Promise<OpenedContract> {
  const listed = await tx.peekAll(charges, { index: "open", value: stored.id });
  // They are checked at the commit. Read again by their ids, hundreds of unpaid charges would all be parsed in one turn.
  for (const charge of listed) tx.adopt(charges, charge);
  const ids = new Set([...listed.map(({ id }) => id), ...chargeIds]);
  const found = await Promise.all([...ids].map((id) => tx.get(charges, id)));
  const before = new Map(found.filter((charge) => charge !== null).map((charge) => [charge.id, charge]));
  const emitted: EngineEvent[] = [];
  const mails: ContractMail[] = [];
  const withdrawn: string[] = [];
  const opened: OpenedContract = {
    now,
    nowAt,
    part,
    newId,
    ports,
    tx,
    stored,
    before,
    mails,
    withdrawn,
    emitted,
    today: localDateAt(now, stored.value.timezone),
    policy: await readPolicy(tx, stored.value.dunning_policy_id),
    settings: await readSettings(tx),
    words: await storeFace(tx),
    contract: stored.value,
    charges: new Map([...before].map(([id, { value }]) => [id, value])),
    put: (charge) => void opened.charges.set(charge.id, charge),
    adopt(charge) {
      before.set(charge.id, charge);
      opened.charges.set(charge.id, charge.value);
    },
    emit(type, charge, data = {}) {
      emitted.push({
        id: newId("evt"),
        created_at: nowAt,
        type,
        contract_id: stored.id,
        charge_id: charge?.id ?? null,
        data,
      });
    },
    mail: (message) => void mails.push(message),
    withdrawMail: (about) => void withdrawn.push(about),
  };
  return opened;
}

/** The value of a charge that must be open. */
export function chargeOf(opened: ContractWork, id: string): Charge {
  const charge = opened.charges.get(id);
  if (charge === undefined) throw new Error(`Charge ${id} is not open in ${opened.contract.id}.`);
  return charge;
}

/** Stages everything. Returns the contract as it will be stored. */
export async function closeWork(opened: OpenedContract): Promise<Stored<Contract>> {
  const { nowAt, tx, stored, before } = opened;
  for (const charge of opened.charges.values()) {
    const was = before.get(charge.id);
    if (was === undefined) tx.create(charges, charge);
    else if (was.value !== charge) tx.put(charges, was, { ...charge, updated_at: nowAt });
  }
  await stageInvoices(opened);
  for (const event of opened.emitted) emitEvent(tx, event);
  await closeMail(opened, nowAt);
  return tx.put(contracts, stored, { ...settled(opened), updated_at: nowAt });
}

/** Keeps an event for the feed, and sends it to those who asked for it. */
function emitEvent(tx: Tx, event: EngineEvent): void {
  tx.create(events, event);
  const { id, type, created_at: at, contract_id, charge_id, data } = event;
  tx.emit({ id, type: `subscriptions.${type}`, at, data: { contract_id, charge_id, ...data } });
}

/** The contract with what follows from its other members and its charges. */
export function settled({
  contract: changed,
  charges: known,
  policy,
  now,
}: Pick<ContractWork, "contract" | "charges" | "policy" | "now">): Contract {
  const contract = changed.ended_at === null ? { ...changed, compliance: planNotices(changed) } : changed;
  const unfinished = [...known.values()].filter(isUnfinished);
  const next = nextDueAt(agendaOf(contract, unfinished, policy, now));
  return {
    ...contract,
    next_billing_date: nextBillingDate(contract),
    next_action_at: next === null ? null : toInstant(next),
  };
}

const MAX_SKIPS = 400;

/** The next day on which money is due: that of the first cycle that is not left out; null when none will come. */
export function nextBillingDate(contract: Contract): string | null {
  const { status, cancellation, max_cycles: most } = contract;
  if (status === "cancelled" || status === "expired" || status === "paused" || status === "unpaid")
    return null;
  for (let index = contract.next_cycle; index < contract.next_cycle + MAX_SKIPS; index += 1) {
    if (most !== null && index >= most) return null;
    if (contract.overrides[String(index)]?.skip === true) continue;
    const date = billingDate(contract, index);
    const isEnded = cancellation !== null && date >= cancellation.effective_on;
    return isEnded || isAfterEnd(contract, index) ? null : date;
  }
  return null;
}

/** True while another charge than this one is owed after it failed. */
export const owesElse = (opened: ContractWork, chargeId: string): boolean =>
  [...opened.charges.values()].some(
    (charge) => charge.id !== chargeId && isOwed(charge) && charge.dunning.first_failed_at !== null,
  );

/** Local date of the oldest debt; null when nothing that failed is owed. */
export function oldestDebt(opened: ContractWork): string | null {
  const dates = [...opened.charges.values()]
    .filter((charge) => isOwed(charge) && charge.dunning.first_failed_at !== null)
    .map((charge) => localDateAt(fromInstant(charge.due_at), opened.contract.timezone));
  return dates.sort()[0] ?? null;
}

const storeMailId = (opened: OpenedContract, about: string): string =>
  derivedId("ltr", new Uint8Array(), [opened.part, opened.stored.id, about]);

async function closeMail(opened: OpenedContract, nowAt: string): Promise<void> {
  const { tx, settings, stored } = opened;
  for (const about of opened.withdrawn) await withdrawStoreMail(tx, storeMailId(opened, about));
  if (!settings.send_mail) return;
  for (const { about, template, data } of opened.mails) {
    const id = storeMailId(opened, about);
    await stageStoreMail(tx, { id, to: stored.value.customer.email, template, data, created_at: nowAt });
  }
}
