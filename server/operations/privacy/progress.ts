import type { Ports } from "../../core/ports.ts";
import type { RunTx, Stored, Tx } from "../../core/tx.ts";
import type { Outbox } from "../../mail/outbox.ts";
import type { StoreDriver } from "../../storage/contract.ts";
import type { Compact } from "./compaction.ts";
import { privacyRequests } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";

export interface PrivacyDeps {
  readonly store: Pick<StoreDriver, "page" | "collections" | "compact">;
  readonly runTx: RunTx;
  readonly mail: Pick<Outbox, "forget">;
  readonly ports: Pick<Ports, "files" | "realNow">;
}

export interface PrivacyWork extends PrivacyDeps {
  readonly compact: Compact;
  /** Partition of the request. */
  readonly part: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The request, while it is where this step began. */
export async function stillAt(tx: Tx, request: PrivacyRequest): Promise<Stored<PrivacyRequest> | null> {
  const stored = await tx.get(privacyRequests, request.id);
  const isSame = JSON.stringify(stored?.value.progress) === JSON.stringify(request.progress);
  return stored !== null && isSame && stored.value.status === "verified" ? stored : null;
}
