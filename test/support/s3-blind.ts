import { createTransport } from "../../server/storage/s3/transport.ts";
import type { Transport } from "../../server/storage/s3/transport.ts";

/** Negative control: whoever reads heads through this sees nothing of what is not in its documents yet, and finishes nothing. */
export function withoutRedo(): Transport {
  const inner = createTransport(64);
  return {
    ...inner,
    async exchange(request) {
      const answer = await inner.exchange(request);
      const isHead = request.method === "GET" && request.url.pathname.includes("/heads/");
      if (!isHead || answer.status !== 200) return answer;
      return {
        ...answer,
        body: Buffer.from(JSON.stringify({ ...JSON.parse(answer.body.toString()), redo: [] })),
      };
    },
  };
}
