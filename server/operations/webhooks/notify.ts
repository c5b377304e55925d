import { derivedId } from "../../core/ids.ts";
import { stageStoreMail } from "../../core/store-mail.ts";
import { auditEntries } from "../../accounts/audit.ts";
import type { AuditEntry } from "../../accounts/audit.ts";
import { runChange } from "../../accounts/change.ts";
import type { AccountsDeps } from "../../accounts/deps.ts";
import { customers, stores } from "../../accounts/collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { notices } from "./collections.ts";
import { storeIdOfPart } from "../../accounts/owner.ts";
import { modeOf } from "./fan-out.ts";

const BATCH = 20;

/**
 * Writes into the audit trail, at most once a day for each endpoint, and notifies the customer by mail, that endpoints were
 * disabled. The entry comes first and names the notice, so that after a crash it is not written twice; the mail travels with
 * the end of the notice.
 */
export async function notifyDisabled(deps: AccountsDeps, part: string): Promise<number> {
  const { items } = await deps.runTx(part, (tx) => tx.peekPage(notices, { index: "waiting", limit: BATCH }));
  for (const { value: notice } of items) {
    const owner = await ownerOf(deps, part);
    await runChange(deps, { actor: "system", now: deps.clock.now() }, async (change) => {
      const about = { index: "about", value: notice.endpoint_id, limit: BATCH };
      const { items: known } = await change.tx.peekPage(auditEntries, about);
      if (known.some(({ value }) => covers(value, notice.id, change.nowAt))) return;
      change.record({
        action: "webhook.disabled",
        subject: notice.endpoint_id,
        customer_id: owner?.customerId ?? null,
        // The path may be a secret of the receiver's.
        details: { notice: notice.id, reason: notice.reason, host: new URL(notice.url).host, part },
      });
    });
    await deps.runTx(part, async (tx) => {
      const stored = await tx.get(notices, notice.id);
      if (stored === null) return;
      tx.remove(notices, stored);
      if (owner === null || modeOf(part) === "test") return;
      await stageStoreMail(tx, {
        id: derivedId("ltr", new Uint8Array(), [part, "webhook.disabled", notice.id]),
        to: owner.email,
        template: "webhook-disabled",
        data: {
          store_identifier: owner.store,
          host: new URL(notice.url).host,
          endpoint_id: notice.endpoint_id,
          reason: notice.reason,
          disabled_at: notice.created_at,
        },
        created_at: notice.created_at,
      });
    });
  }
  return items.length;
}

/** Entries are kept for ever, and a receiver can answer 410 as often as its endpoint is enabled: one a day is enough. */
const covers = ({ action, actor, created_at, details }: AuditEntry, noticeId: string, now: string): boolean =>
  details["notice"] === noticeId ||
  (action === "webhook.disabled" && actor === "system" && created_at.slice(0, 10) === now.slice(0, 10));

/** Owner of a partition's data; null for the platform's own and for a removed store. */
function ownerOf(
  { runTx }: AccountsDeps,
  part: string,
): Promise<{ readonly customerId: string; readonly email: string; readonly store: string } | null> {
  if (part === PLATFORM_PART) return Promise.resolve(null);
  return runTx(PLATFORM_PART, async (tx) => {
    const store = await tx.get(stores, storeIdOfPart(part));
    const customer = store === null ? null : await tx.get(customers, store.value.customer_id);
    if (store === null || customer === null) return null;
    return { customerId: customer.id, email: customer.value.email, store: store.value.identifier };
  });
}
