import { equalSecrets } from "../../../core/ids.ts";
import type { Ports } from "../../../core/ports.ts";

const PURPOSE = "subscriptions.self-service";

/** The secret part of a customer's link: who has it may skip, pause and cancel this one contract. */
export function makeToken(ports: Pick<Ports, "sign">, part: string, contractId: string): string {
  const name = Buffer.from(`${part}.${contractId}`, "utf8").toString("base64url");
  return `${name}.${ports.sign(PURPOSE, name)}`;
}

/** Where a token leads; null for one that was not made here. */
export function openToken(
  ports: Pick<Ports, "sign">,
  token: string,
): { readonly part: string; readonly contractId: string } | null {
  const [name = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !equalSecrets(signature, ports.sign(PURPOSE, name))) return null;
  const [part = "", contractId = ""] = Buffer.from(name, "base64url").toString("utf8").split(".");
  return { part, contractId };
}

/** The page on which a customer looks after a contract. */
export const selfServiceUrl = (ports: Ports, part: string, contractId: string): string =>
  `${ports.baseUrl}/api/public/subscriptions/${makeToken(ports, part, contractId)}`;
