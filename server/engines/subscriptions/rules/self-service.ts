import { makeToken } from "../../../core/link-token.ts";
import type { Ports } from "../../../core/ports.ts";

/** What a customer's link is for: who has it may skip, pause and cancel one contract. */
export const SELF_SERVICE = "subscriptions.self-service";

/** The page on which a customer looks after a contract. */
export const selfServiceUrl = (
  ports: Pick<Ports, "baseUrl" | "sign">,
  part: string,
  contractId: string,
): string => `${ports.baseUrl}/api/public/subscriptions/${makeToken(ports, SELF_SERVICE, part, contractId)}`;
