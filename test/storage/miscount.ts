import type { Doc, StoreDriver } from "../../server/storage/contract.ts";
import { usageOf } from "./model.ts";

/** Says which partition's usage is not that of its documents, or null. Nobody writes meanwhile. */
export async function findMiscount(driver: StoreDriver): Promise<string | null> {
  for (const part of await driver.partitions()) {
    const docs = new Map<string, Doc>();
    for await (const doc of driver.snapshot(part)) docs.set(doc.key, doc);
    const [counted, held] = [await driver.usage(part), usageOf(docs, part)].map(
      ({ documents, bytes, systemBytes }) => `${documents} documents, ${bytes} + ${systemBytes} bytes`,
    );
    if (counted !== held) return `${part} is counted as ${counted}, and holds ${held}`;
  }
  return null;
}
