import type { NewId } from "../../../../core/ids.ts";
import type { Ports } from "../../../../core/ports.ts";
import type { RunTx } from "../../../../core/tx.ts";
import { gatewaySecrets } from "../../repository.ts";
import type { PaymentGateway } from "../../../../core/payments.ts";
import { selfServiceUrl } from "../../rules/self-service.ts";
import type { Gateway } from "../../schema/payment.ts";
import { createExternalGateway } from "./external.ts";
import { createStripeApi } from "./stripe-api.ts";
import type { StripeApi } from "./stripe-api.ts";
import { createStripeGateway } from "./stripe.ts";
import { createTestGateway } from "./test.ts";

export interface GatewayDeps {
  readonly part: string;
  readonly runTx: RunTx;
  readonly newId: NewId;
  readonly ports: Ports;
  /** Epoch milliseconds, by the store's clock. */
  readonly now: number;
}

/** The gateway that a configuration describes. One that is paid by hand is never asked. */
export async function openGateway(deps: GatewayDeps, gateway: Gateway): Promise<PaymentGateway> {
  if (gateway.kind === "test")
    return createTestGateway({ ...deps, gatewayId: gateway.id, supportsLookup: gateway.supports_lookup });
  if (gateway.kind === "manual") throw new Error(`${gateway.id} is paid by hand.`);
  const found = await deps.runTx(deps.part, (tx) => tx.get(gatewaySecrets, gateway.id));
  const secrets = found?.value.secrets ?? [];
  if (gateway.kind === "stripe") {
    const api = openStripe(deps.ports, gateway, found?.value.api_key ?? "");
    const pageUrl = (contractId: string): string => selfServiceUrl(deps.ports, deps.part, contractId);
    return createStripeGateway({ api, pageUrl });
  }
  return createExternalGateway({ gateway, secrets, post: deps.ports.post, now: deps.ports.realNow() });
}

export const openStripe = (
  ports: Pick<Ports, "post" | "fetch" | "realNow">,
  { url, timeout_seconds: timeoutSeconds }: Pick<Gateway, "url" | "timeout_seconds">,
  apiKey: string,
): StripeApi => createStripeApi({ url, apiKey, timeoutSeconds, ports });
