import { contractStates } from "../rules/contract-state.ts";
import { z } from "zod";

import { HOUR_MS, fromInstant } from "../../../lib/instant.ts";
import { Problem } from "../../../lib/errors.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import type { Face } from "../../../core/face.ts";
import { retryNow, usableMethods } from "../services/attempts.ts";
import type { ContractWork, OpenedContract } from "../services/contract-work.ts";
import { payWith, resume } from "../services/lifecycle.ts";
import { isCoolingOff } from "../rules/compliance.ts";
import { showMethod } from "../rules/calendar.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";
import { cancelBook, pauseBook } from "./contract-actions.ts";
import { overrideNext } from "./cycles.ts";
import { requireStatus } from "./env.ts";

/** What a form of the customer's page sends. `add_card` and `confirm` lead to pages of the gateway and the bank. */
export const CustomerForm = z.strictObject({
  action: z.enum([
    "skip",
    "pause",
    "resume",
    "cancel",
    "keep",
    "pay_with",
    "pay_now",
    "change_address",
    "add_card",
    "confirm",
  ]),
  payment_method_id: Id.optional(),
  resume_on: z.union([LocalDate, z.literal("")]).default(""),
  // A browser sends the lines of a form with CRLF.
  address: z
    .string()
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(z.string().max(500))
    .optional(),
});
export type CustomerForm = z.output<typeof CustomerForm>;

/** What the page says of an action, and whether it was done. */
export interface Said {
  readonly text: string;
  readonly isDone: boolean;
}
const done = (text: string): Said => ({ text, isDone: true });
const refused = (text: string): Said => ({ text, isDone: false });

/** Does what a form asks for. What the state does not allow is said on the page, not by an error. */
export async function carryOut(face: Face, opened: OpenedContract, form: CustomerForm): Promise<Said> {
  try {
    return await perform(face, opened, form);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.type !== "conflict" && error.type !== "unprocessable_content") throw error;
    // Problems are described in English.
    if (!face.locale.startsWith("en")) return refused(face.say(`refusal.${error.type}.text`));
    return refused(error.options.errors?.[0]?.detail ?? error.detail);
  }
}

async function perform(face: Face, opened: OpenedContract, form: CustomerForm): Promise<Said> {
  const { date, say } = face;
  switch (form.action) {
    case "skip":
      return done(say("subscription.done_skip", { date: date(overrideNext(opened)) }));
    case "pause": {
      const until = form.resume_on === "" ? null : form.resume_on;
      pauseBook(opened, { resume_on: until, mode: "keep_calendar" });
      return done(
        until === null
          ? say("subscription.done_pause")
          : say("subscription.done_pause_until", { date: date(until) }),
      );
    }
    case "resume":
      requireStatus(opened.contract, "resume", "resumed");
      resume(opened);
      return done(say("subscription.done_resume"));
    case "cancel":
      return cancel(face, opened);
    case "keep":
      return keep(opened) ? done(say("subscription.done_keep")) : refused(say("subscription.has_ended"));
    case "pay_with":
      return choose(face, opened, form.payment_method_id ?? "");
    case "pay_now":
      if (!mayPayNow(opened)) return refused(say("subscription.too_early"));
      retryNow(opened);
      return done(say("subscription.done_pay"));
    case "change_address":
      return changeAddress(opened, form.address ?? "")
        ? done(say("subscription.done_address"))
        : refused(say("subscription.type_address"));
    case "add_card":
    case "confirm":
      return done("");
  }
}

async function cancel({ money, say }: Face, opened: OpenedContract): Promise<Said> {
  const isFree = isCoolingOff(opened.contract, opened.today);
  const refund = await cancelBook(
    opened,
    {
      at: isFree ? "now" : "cycle_end",
      reason_code: isFree ? "cooling_off" : "other",
      comment: "",
      refund: isFree ? "full" : "none",
    },
    { by: "customer", mayForce: false },
  );
  return done(
    refund > 0
      ? say("subscription.done_cancel_refund", { amount: money(refund, opened.contract.currency) })
      : say("subscription.done_cancel"),
  );
}

/** False for a contract that has ended, or was not cancelled. */
function keep(opened: ContractWork): boolean {
  if (opened.contract.cancellation === null || !isLive(opened.contract)) return false;
  opened.contract = { ...opened.contract, cancellation: null };
  opened.emit("contract.updated", null, { change: "uncancelled" });
  return true;
}

async function choose(face: Face, opened: OpenedContract, methodId: string): Promise<Said> {
  requireStatus(opened.contract, "change", "changed");
  const method = (await usableMethods(opened)).find(({ id }) => id === methodId);
  if (method === undefined) return refused(face.say("subscription.method_gone"));
  payWith(opened, method.id);
  opened.emit("contract.updated", null, { change: "payment_method_id" });
  return done(face.say("subscription.done_method", { method: showMethod(face, method) }));
}

/** False without an address, or where nothing is delivered. */
function changeAddress(opened: ContractWork, address: string): boolean {
  const { contract } = opened;
  requireStatus(contract, "change", "changed");
  if (contract.delivery === null || address === "") return false;
  opened.contract = { ...contract, delivery: { ...contract.delivery, address } };
  opened.emit("contract.updated", null, { change: "delivery" });
  return true;
}

export const isLive = ({ status }: Pick<Contract, "status">): boolean =>
  contractStates.allows("change", status);

/** The charge that failed and can be tried again with the same card: not one that its bank has declined for good. */
export const failedCharge = ({ charges }: Pick<ContractWork, "charges">): Charge | null =>
  [...charges.values()].find(({ status }) => status === "retrying") ?? null;

/** A customer may have it tried again, once an hour. */
export function mayPayNow(opened: Pick<ContractWork, "charges" | "now">): boolean {
  const charge = failedCharge(opened);
  if (charge === null || charge.dunning.category === "hard" || charge.dunning.category === "method")
    return false;
  const last = charge.attempts.at(-1);
  return last !== undefined && fromInstant(last.claimed_at) + HOUR_MS <= opened.now;
}
