import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "platform-certificates-"));
afterAll(() => rmSync(folder, { recursive: true }));

const openssl = (...args: string[]): void =>
  void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
const OUTGOING = new URL("../../server/outgoing/", import.meta.url).href;
const TYPESCRIPT = new URL("../support/typescript.mjs", import.meta.url).pathname;

/** What requests to these hosts come to, in a process that trusts an authority, or none of the tests. */
async function outcomes(urls: readonly string[], authority: string | null): Promise<string[]> {
  const code = `
    const [{ createFetch }, { createPost }] = await Promise.all([import("${OUTGOING}fetch.ts"), import("${OUTGOING}post.ts")]);
    const [fetch, post] = [createFetch, createPost].map((create) => create({ allowPrivate: true, allow: ["localhost", "127.0.0.1"] }));
    const results = ${JSON.stringify(urls)}.flatMap((url) => [
      fetch({ url, timeoutMs: 9_000 }),
      post({ url, headers: {}, body: "{}", timeoutMs: 9_000 }),
    ]);
    const texts = await Promise.all(results.map((one) => one.then(({ status }) => String(status), ({ message }) => message)));
    console.log(JSON.stringify(texts));
    process.exit(0);
  `;
  const args = ["--import", TYPESCRIPT, "--input-type=module", "-e", code];
  const { NODE_TLS_REJECT_UNAUTHORIZED: _, NODE_EXTRA_CA_CERTS: __, ...rest } = process.env;
  const env = authority === null ? rest : { ...rest, NODE_EXTRA_CA_CERTS: authority };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout);
}

it("are verified: who signed them, and for which host", async () => {
  openssl(..."req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority".split(" "));
  openssl(..."req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=shop".split(" "));
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost");
  openssl(
    ..."x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -extfile names".split(
      " ",
    ),
  );
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const server = createServer({ key: read("key.pem"), cert: read("cert.pem") }, (_, res) => res.end("bread"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const urls = [`https://localhost:${port}/`, `https://127.0.0.1:${port}/`];
  const [right, posted, wrong, wrongPosted] = await outcomes(urls, join(folder, "ca.pem"));
  expect([right, posted]).toEqual(["200", "200"]);
  for (const text of [wrong, wrongPosted]) expect(text).toContain("does not match certificate's altnames");
  for (const text of await outcomes(urls, null)) expect(text).toContain("unable to verify");
  server.close();
});
