import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface StaticPage {
  readonly html: string;
  /** Further elements of its head. */
  readonly head?: string | undefined;
  /** Content-Security-Policy of the page; none unless told. */
  readonly policy?: string;
}

export interface Storefront {
  /** Where browsers find it: another origin than the service, in name and port. */
  readonly origin: string;
  /** Puts a page at a path, or another in its place. */
  put(path: string, page: StaticPage): void;
  close(): Promise<void>;
}

/** A shop as it lies on a static host: pages, a style, and the script that talks to the service. */
export async function serveStorefront(): Promise<Storefront> {
  const pages = new Map<string, StaticPage>([["/", { html: "<h1>Shop</h1>" }]]);
  const files: Readonly<Record<string, readonly [string, string]>> = {
    "/shop.js": ["text/javascript", SHOP_SCRIPT],
    "/shop.css": ["text/css", SHOP_STYLE],
  };
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? "/", "http://localhost");
    const file = files[pathname];
    const page = pages.get(pathname);
    if (file !== undefined) res.writeHead(200, { "content-type": file[0] }).end(file[1]);
    else if (page === undefined) res.writeHead(404).end();
    else {
      const policy = page.policy === undefined ? {} : { "content-security-policy": page.policy };
      res
        .writeHead(200, { "content-type": "text/html; charset=utf-8", ...policy })
        .end(whole(page.html, page.head));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server has an address and a port, no path.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    put: (path, page) => void pages.set(path, page),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const whole = (body: string, head = ""): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>The shop</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/shop.css">${head}
  </head>
  <body><main><h1>The shop</h1>${body}</main></body>
</html>`;

const SHOP_STYLE = "body{font:1rem/1.5 sans-serif}label{display:block}[hidden]{display:none}";

/** What a shop's own script does: calls, and tells what it could read of the answer. */
const SHOP_SCRIPT = String.raw`
const { api, key } = document.currentScript.dataset;
window.ask = async ({ method = "GET", path, body, bearer = key }) => {
  const headers = { authorization: "Bearer " + bearer };
  if (body !== undefined) headers["content-type"] = "application/json";
  try {
    const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
    const readable = Object.fromEntries(answer.headers);
    return { status: answer.status, headers: readable, json: await answer.json(), failed: null };
  } catch (error) {
    return { status: 0, headers: {}, json: null, failed: error.name };
  }
};
// The puzzle as a widget fetches it: without a key.
window.solve = async (url) => {
  const puzzle = await (await fetch(url)).json();
  const { algorithm, challenge, maxnumber, salt, signature } = puzzle.data ?? puzzle;
  for (let number = 0; number <= maxnumber; number += 1) {
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, new TextEncoder().encode(salt + number)));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (hex === challenge) return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }));
  }
};
`;
