import { expect, it } from "vitest";

import { openToken } from "../../../server/core/link-token.ts";
import { SELF_SERVICE, selfServiceUrl } from "../../../server/engines/subscriptions/rules/self-service.ts";
import { closedPorts } from "../../harness.ts";

it("leads to a contract, in a URL that needs no escaping", () => {
  const url = selfServiceUrl(closedPorts, "sto_1_test", "sub_1");
  const [, token = ""] = /\/api\/public\/subscriptions\/([\w.-]+)$/.exec(url) ?? [];
  expect(openToken(closedPorts, SELF_SERVICE, token)).toMatchObject({ part: "sto_1_test", id: "sub_1" });
});
