import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { signedHeaders, toSecret } from "../../server/core/standard-webhooks.ts";
import { GUIDES } from "../../server/site/docs/guides.ts";

const run = promisify(execFile);

it("the guide verifies deliveries in Python: of the secret, while it is rotated, and no others", async () => {
  const guide = GUIDES.find(({ slug }) => slug === "webhooks")?.markdown("https://shop.example") ?? "";
  const code = /^```python\n(.*?)^```$/ms.exec(guide)?.[1] ?? "";
  const [secret, next, other] = [1, 2, 3].map((byte) => toSecret(new Uint8Array(32).fill(byte)));
  const body = '{"type":"reviews.review.submitted","data":{"title":"Größe"}}';
  const seconds = Math.floor(Date.now() / 1000);
  const sent = (timestamp: number, secrets: readonly (string | undefined)[]) =>
    signedHeaders(
      { id: "evt_1", timestamp, body },
      secrets.flatMap((one) => one ?? []),
    );
  const cases = [
    sent(seconds, [secret]),
    sent(seconds, [next, secret]),
    sent(seconds, [other]),
    sent(seconds - 600, [secret]),
    { ...sent(seconds, [secret]), "webhook-id": "evt_2" },
  ].map((headers) => ({ headers, body }));
  const checks = `import json, sys\nprint(json.dumps([verify(${JSON.stringify(secret)}, one["headers"], one["body"].encode()) for one in json.loads(sys.argv[1])]))`;
  const { stdout } = await run("python3", ["-c", `${code}\n${checks}`, JSON.stringify(cases)]);
  expect(JSON.parse(stdout)).toEqual([true, true, false, false, false]);
});
