import { z } from "zod";
import { contractResource } from "./contracts.ts";

import { readFace, showLeave } from "../../../core/face.ts";
import type { Face } from "../../../core/face.ts";
import { linkPage, linkParams, requireLink, workIn } from "../../../core/link-page.ts";
import { toInstant } from "../../../lib/instant.ts";
import { ok } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { contracts, paymentMethods } from "../repository.ts";
import { openAttempt } from "../rules/agenda.ts";
import { SELF_SERVICE, selfServiceUrl } from "../rules/self-service.ts";
import { showMethod } from "../rules/calendar.ts";
import type { Attempt } from "../schema/charge.ts";
import { closeWork, openWork } from "../services/contract-work.ts";
import type { ContractWork, OpenedContract } from "../services/contract-work.ts";
import { confirmPayment, findCardSetup, openCheckout, readSavedCard, saveCard } from "../services/cards.ts";
import type { CardSetup } from "../services/cards.ts";
import { countUse } from "../services/page-uses.ts";
import { workOn } from "../services/worker.ts";
import { carryOut, CustomerForm } from "./customer-actions.ts";
import { customerPage } from "./customer-page.ts";
import type { LongWork } from "../../../core/ports.ts";

const show = defineOpenRoute({
  ...linkPage(SELF_SERVICE),
  id: "public.subscriptions.show",
  method: "GET",
  path: "/subscriptions/:token",
  summary: "The page on which a customer manages a subscription",
  // The gateway adds parameters of its own when the customer comes back.
  query: z.looseObject({ session_id: z.string().max(200).optional(), payment_intent: z.string().optional() }),
  example: { params: linkParams },
  async handle({ params: { token }, query }, ctx) {
    const link = await openLink(ctx, token);
    let message: ((face: Face) => string) | null = null;
    if (query.session_id !== undefined) message = await takeCard(link, query.session_id);
    else if (query.payment_intent !== undefined) await askNow(link);
    return onPage(ctx, link, (face, opened) =>
      customerPage(face, opened, token, message === null ? null : { text: message(face), isDone: true }),
    );
  },
});

const act = defineOpenRoute({
  ...linkPage(SELF_SERVICE),
  id: "public.subscriptions.act",
  method: "POST",
  path: "/subscriptions/:token",
  summary: "Change a subscription by a form of the customer's page",
  body: CustomerForm,
  form: true,
  example: { params: linkParams, body: { action: "skip" } },
  async handle({ params: { token }, body }, ctx) {
    const link = await openLink(ctx, token);
    const url = await outsideUrl(link, body.action);
    if (url !== null) return showLeave(ctx.header("accept-language"), url);
    if (body.action === "confirm") await askNow(link);
    return onPage(ctx, link, async (face, opened) => {
      const isOutside = body.action === "add_card";
      if (!isOutside && body.action !== "confirm") await countUse(opened, "changes");
      const said = isOutside
        ? { text: face.say("payment_page_failed"), isDone: false }
        : await carryOut(face, opened, body);
      await closeWork(opened);
      return customerPage(face, opened, token, said.text === "" ? null : said);
    });
  },
});

interface Link {
  readonly work: LongWork;
  readonly contractId: string;
}

/** The contract that a link refers to; 404 for a link that was not issued here. */
async function openLink(ctx: OpenCtx, token: string): Promise<Link> {
  const { part, id: contractId } = requireLink(ctx, SELF_SERVICE, token);
  return { work: await workIn(ctx, part), contractId };
}

const onContract = <T>(
  { work, contractId }: Link,
  handle: (opened: OpenedContract) => Promise<T>,
): Promise<T> =>
  work.runTx(work.part, async (tx) =>
    handle(await openWork(work, tx, await tx.require(contracts, contractId))),
  );

/** The same with the face of the page. */
const onPage = <T>(
  ctx: OpenCtx,
  link: Link,
  handle: (face: Face, opened: OpenedContract) => Promise<T>,
): Promise<T> =>
  onContract(link, async (opened) =>
    handle((await readFace(ctx, opened.tx)).with({ name: opened.settings.shop_name }), opened),
  );

/** Where the gateway or the bank takes over; null where nothing is to be done outside. */
async function outsideUrl(link: Link, action: CustomerForm["action"]): Promise<string | null> {
  if (action !== "add_card" && action !== "confirm") return null;
  const { work, contractId } = link;
  const known = await onContract(link, async (opened) => ({
    setup: await setupToAsk(opened),
    contract: opened.contract,
    payment: await paymentToConfirm(opened),
  }));
  const pageUrl = selfServiceUrl(work.ports, work.part, contractId);
  if (known.setup === null) return null;
  if (action === "add_card") return openCheckout(known.setup, known.contract, pageUrl);
  return known.payment === null
    ? null
    : confirmPayment(known.setup.api, { ...known.payment, returnUrl: pageUrl });
}

/** Where a card can be saved, to be asked in a moment. */
async function setupToAsk(opened: ContractWork): Promise<CardSetup | null> {
  const setup = await findCardSetup(opened);
  if (setup !== null) await countUse(opened, "requests");
  return setup;
}

const attemptToConfirm = ({ charges }: Pick<ContractWork, "charges">): Attempt | null =>
  [...charges.values()].map(openAttempt).find((attempt) => attempt?.state === "requires_action") ?? null;

async function paymentToConfirm(
  opened: ContractWork,
): Promise<{ readonly ref: string; readonly token: string } | null> {
  const { gateway_ref: ref = null, payment_method_id: methodId = null } = attemptToConfirm(opened) ?? {};
  const method = methodId === null ? null : await opened.tx.get(paymentMethods, methodId);
  return ref === null || method === null ? null : { ref, token: method.value.token_ref };
}

/** The customer comes back from the page on which a card was saved. */
async function takeCard(link: Link, sessionId: string): Promise<((face: Face) => string) | null> {
  const setup = await onContract(link, setupToAsk);
  const saved = setup === null ? null : await readSavedCard(setup.api, sessionId);
  if (setup === null || saved?.contractId !== link.contractId) return null;
  return onContract(link, async (opened) => {
    const method = await saveCard(opened, setup.gateway, saved.card);
    if (method === null) return null;
    await closeWork(opened);
    return (face) => face.say("subscription.done_method", { method: showMethod(face, method) });
  });
}

/** Asks the gateway at once what became of a payment that the customer was to confirm. */
async function askNow(link: Link): Promise<void> {
  const { work, contractId } = link;
  await onContract(link, async (opened) => {
    await countUse(opened, "requests");
    for (const charge of opened.charges.values()) {
      const open = openAttempt(charge);
      if (open?.state !== "requires_action") continue;
      const asked = { ...open, next_lookup_at: toInstant(work.now) };
      opened.put({ ...charge, attempts: [...charge.attempts.slice(0, -1), asked] });
    }
    await closeWork(opened);
  });
  await workOn(work, contractId);
}

const portalLink = contractResource.action("portal-link", {
  summary: "Create the link to the customer's page of a contract",
  description:
    "On the page the customer takes another card, confirms or repeats a payment, pauses, skips, cancels, changes the address and sees the " +
    "charges. It is the link of the mails, it does not expire, and it is as good as a password for this contract.",
  body: z.strictObject({}).default({}),
  data: z.object({ url: z.url() }),
  sensitive: true,
  example: { body: {} },
  async handle({ params: { id } }, { tx, ports }) {
    await tx.require(contracts, id);
    return ok({ url: selfServiceUrl(ports, tx.part, id) });
  },
});

export const linkRoutes = [show, act];
export const portalRoutes = [portalLink];
