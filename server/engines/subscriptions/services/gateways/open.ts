import type { NewId } from "../../../../core/ids.ts";
import type { Ports } from "../../../../core/ports.ts";
import type { RunTx } from "../../../../core/tx.ts";
import { gatewaySecrets } from "../../repository.ts";
import type { PaymentGateway } from "../../schema/gateway-port.ts";
import type { Gateway } from "../../schema/payment.ts";
import { createExternalGateway } from "./external.ts";
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
  if (gateway.kind === "test") return createTestGateway({ ...deps, gatewayId: gateway.id });
  if (gateway.kind === "manual") throw new Error(`${gateway.id} is paid by hand.`);
  const found = await deps.runTx(deps.part, (tx) => tx.get(gatewaySecrets, gateway.id));
  const secrets = found?.value.secrets ?? [];
  return createExternalGateway({ gateway, secrets, post: deps.ports.post, now: deps.ports.realNow() });
}
