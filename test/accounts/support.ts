import type { Answer, CallOptions, Harness } from "../harness.ts";

export interface Account {
  readonly customerId: string;
  readonly apiKey: string;
  readonly keyId: string;
}

export const signUp = (harness: Harness, email = "dev@bakery.example", storeIdentifier = "demo-bakery") =>
  harness.call("POST", "/api/platform/signup", { body: { email, storeIdentifier } });

/** Path and query of the newest link mailed to an address. */
export async function linkOf(harness: Harness, email = "dev@bakery.example"): Promise<string> {
  const link = await harness.services.mail.findLink(email, harness.clock.now());
  if (link === null) throw new Error(`No link was mailed to ${email}.`);
  return link.slice("http://platform.test".length);
}

/** Signs up, follows the link, returns the key: the specification's whole way. */
export async function makeAccount(
  harness: Harness,
  email = "dev@bakery.example",
  storeIdentifier = "demo-bakery",
): Promise<Account> {
  await signUp(harness, email, storeIdentifier);
  const { status, json } = await harness.call("GET", await linkOf(harness, email));
  if (status !== 200) throw new Error(`The link answered ${status}.`);
  return { customerId: json.customer_id, apiKey: json.api_key, keyId: json.key.id };
}

/** A call as a browser makes it; past the harness, because a page is no documented answer of the API. */
export async function browse(harness: Harness, method: string, path: string): Promise<Answer> {
  const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const response = await harness.app.fetch(new Request(`http://platform.test${path}`, { method, headers }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: undefined };
}

/** Success or a thrown difference: for set-up steps of a test. */
export async function operator(
  harness: Harness,
  method: string,
  path: string,
  body?: CallOptions["body"],
): Promise<Answer> {
  const answer = await harness.admin(
    method,
    `/api/platform/admin${path}`,
    body === undefined ? {} : { body },
  );
  if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** Every document of every partition, as stored. */
export async function storedDocuments(harness: Harness): Promise<{ key: string; value: string }[]> {
  const { store } = harness;
  const found: { key: string; value: string }[] = [];
  for (const part of await store.partitions()) {
    for (const { name } of await store.collections(part)) {
      let after: string | undefined;
      do {
        const page = await store.page(part, name, { limit: 500, ...(after === undefined ? {} : { after }) });
        found.push(...page.items);
        after = page.next;
      } while (after !== undefined);
    }
  }
  return found;
}
