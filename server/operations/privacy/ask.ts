import { z } from "zod";

import { makeToken } from "../../core/link-token.ts";
import { takeTurn } from "../../core/room.ts";
import { toInstant, DAY_MS } from "../../lib/instant.ts";
import { conflict } from "../../lib/errors.ts";
import { derivedId } from "../../core/ids.ts";
import type { NewId } from "../../core/ids.ts";
import { stageStoreMail } from "../../core/store-mail.ts";
import { mailSubject } from "../../core/personal.ts";
import type { Ports } from "../../core/ports.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { PRIVACY_LIMITS, PrivacyRequest, privacyRequests } from "./schema.ts";
import { newResource } from "../../lib/new-resource.ts";

export const PrivacyWish = z.strictObject({
  type: PrivacyRequest.shape.type,
  email: z.email().max(254),
  customer_ids: z.array(z.string().trim().min(1).max(120)).max(PRIVACY_LIMITS.customerIds).default([]).meta({
    description: "The store's own customer ids of the person, if the address is not sufficient to find them",
  }),
  verify: z.boolean().default(false).meta({
    description:
      "Ask the person to confirm by mail first. If false, the store has verified the identity of the person",
  }),
});
export type PrivacyWish = z.output<typeof PrivacyWish>;

export interface AskedBy {
  readonly now: number;
  readonly newId: NewId;
  readonly ports: Pick<Ports, "sign" | "baseUrl">;
  /** As the shop is named in the mail to the person. */
  readonly shopName: string;
  readonly by: "shop" | "operator";
}

/** Stages a request, and the mail that asks the person. Throws 409 `limit_reached` while as many as may be are open. */
export async function ask(tx: Tx, wish: PrivacyWish, by: AskedBy): Promise<Stored<PrivacyRequest>> {
  await takeTurn(tx, privacyRequests.name);
  const open = await tx.peekPage(privacyRequests, { index: "open", limit: PRIVACY_LIMITS.open });
  if (open.items.length >= PRIVACY_LIMITS.open) {
    throw conflict(
      "limit_reached",
      `At most ${PRIVACY_LIMITS.open} requests can be open. Wait until one completes, or reject one.`,
    );
  }
  const { now, newId, ports } = by;
  const email = mailSubject(wish.email);
  const nowAt = toInstant(now);
  const id = newId("prv");
  const expiresAt = toInstant(now + PRIVACY_LIMITS.confirmDays * DAY_MS);
  if (wish.verify) {
    await stageStoreMail(tx, {
      id: derivedId("ltr", new Uint8Array(), [tx.part, id]),
      to: email,
      template: "privacy-confirm",
      data: {
        link: confirmUrl(ports, tx.part, id),
        shop_name: by.shopName,
        type: wish.type,
        expires_at: expiresAt,
      },
      created_at: nowAt,
    });
  }
  return tx.create(privacyRequests, {
    ...newResource(id, nowAt),
    type: wish.type,
    status: wish.verify ? "received" : "verified",
    email,
    customer_ids: [...new Set(wish.customer_ids)],
    verify: wish.verify,
    verified_at: wish.verify ? null : nowAt,
    verified_by: wish.verify ? null : by.by,
    progress: null,
    shared_ids: 0,
    evidence: {
      subject_hash: ports.sign("privacy.subject", email),
      ...NO_EVIDENCE,
    },
    done_at: null,
    retry_at: null,
    expires_at: wish.verify ? expiresAt : null,
    parts: 0,
  });
}

/** Throws 409 for a request that has started or was rejected. */
export function requireReceived({ status }: PrivacyRequest): void {
  if (status === "received") return;
  throw conflict("invalid_transition", `A request with status ${status} cannot be changed.`);
}

/** Result of a request that has not started. */
export const NO_EVIDENCE = {
  found: 0,
  changed: 0,
  removed: 0,
  mails: 0,
  left: 0,
  collections: {},
  retained: [],
  compacted: false,
};

/** Lets a request begin. Throws 409 where it is not waiting for that any more. */
export function verified(
  request: PrivacyRequest,
  by: "person" | "shop" | "operator",
  nowAt: string,
): PrivacyRequest {
  requireReceived(request);
  return {
    ...request,
    status: "verified",
    verified_at: nowAt,
    verified_by: by,
    expires_at: null,
    updated_at: nowAt,
  };
}

export const PURPOSE = "privacy.confirm";

const confirmUrl = (ports: AskedBy["ports"], part: string, id: string): string =>
  `${ports.baseUrl}/api/public/privacy/${makeToken(ports, PURPOSE, part, id)}`;
