import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { H3, defineMiddleware, toNodeHandler } from "h3";
import { afterEach, describe, expect, it } from "vitest";

import { loadConfig } from "../../server/config/load.ts";
import type { UserConfig } from "../../server/config/define.ts";
import { createPlatform } from "../../server/platform.ts";
import type { Platform } from "../../server/platform.ts";
import { startServer } from "../../server/serve.ts";
import { captureLog, createCleanup, makeFolder } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SETTINGS: UserConfig = {
  storage: { driver: "memory" },
  mail: { transport: "console" },
  log: { level: "silent" },
  server: { port: 0 },
  baseUrl: "https://shop.example",
};

async function embed(settings: UserConfig = {}): Promise<Platform> {
  const platform = await createPlatform({
    config: { ...SETTINGS, ...settings },
    cwd: await makeFolder(cleanup),
  });
  cleanup.add(() => platform.close());
  return platform;
}

/** A Node server of others; resolves to its address. */
async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** `platform serve` with code in its configuration. */
async function serve(settings: UserConfig): Promise<string> {
  const loaded = await loadConfig({
    cwd: await makeFolder(cleanup),
    env: {},
    settings: { ...SETTINGS, ...settings },
  });
  const server = await startServer({ loaded, log: captureLog() });
  cleanup.add(() => server.stop("test"));
  return server.url;
}

const ask = (app: Pick<H3, "fetch">, path: string, init?: RequestInit) =>
  app.fetch(new Request(`http://host.test${path}`, init));

const SIGNUP = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ email: "owner@shop.example", storeIdentifier: "shop" }),
};

describe("the app of createPlatform", () => {
  it("answers by fetch, without a listener", async () => {
    const { fetch } = await embed();
    const answer = await fetch(new Request("https://shop.example/healthz"));
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([
      200,
      expect.stringMatching(/^req_/),
    ]);
  });

  it("has one h3 route for each path", async () => {
    const { app } = await embed();
    const routes = app["~routes"].map(({ route }) => route);
    expect(routes).toContain("/v1/delivery/zones/:id");
    expect(new Set(routes).size).toBe(routes.length);
  });

  it("gets routes that are added to it", async () => {
    const { app } = await embed();
    app.get("/hello/:name", ({ context }) => ({ hello: context.params?.["name"] }));
    const answer = await ask(app, "/hello/ann");
    expect([answer.status, await answer.json()]).toEqual([200, { hello: "ann" }]);
  });

  it("answers other methods and paths next to an own route with its own errors", async () => {
    const { app } = await embed();
    app.get("/hello", () => "hello");
    for (const [path, method, status] of [
      ["/hello", "POST", 404],
      ["/nowhere", "GET", 404],
      ["/api/platform/signup", "PUT", 405],
    ] as const) {
      const answer = await ask(app, path, { method });
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    }
  });

  it("can have a route replaced", async () => {
    const { app } = await embed();
    app.get("/signup", () => "our own page");
    expect(await (await ask(app, "/signup")).text()).toBe("our own page");
    expect((await ask(app, "/api/platform/signup", SIGNUP)).status).toBe(201);
  });

  it("runs middleware, whose headers are sent", async () => {
    const { app } = await embed();
    app.use((event) => event.res.headers.set("x-powered-by", "bakery"));
    const answer = await ask(app, "/healthz");
    expect(answer.headers.get("x-powered-by")).toBe("bakery");
    expect((await answer.json()).status).toBe("ok");
  });

  it("lets middleware answer, change an answer and read one", async () => {
    const { app } = await embed();
    let seen = "";
    app.use("/closed/**", () => new Response("closed", { status: 418 }));
    app.use(
      defineMiddleware(async (_event, next) => {
        const answer = await next();
        if (!(answer instanceof Response)) return answer;
        seen = await answer.clone().text();
        answer.headers.set("x-seen", String(seen.length));
        return answer;
      }),
    );
    expect((await ask(app, "/closed/shop")).status).toBe(418);
    const answer = await ask(app, "/healthz");
    expect(await answer.text()).toBe(seen);
    expect(answer.headers.get("x-seen")).toBe(String(seen.length));
  });

  it("reads headers that middleware has set", async () => {
    const { app, services } = await embed();
    app.use((event) => event.req.headers.set("content-type", "application/json"));
    const answer = await ask(app, "/api/platform/signup", {
      ...SIGNUP,
      headers: { "content-type": "text/x" },
    });
    expect([answer.status, services.lifecycle.url]).toEqual([201, null]);
  });
});

describe("mounted", () => {
  const BASE = { baseUrl: "https://shop.example/platform" };

  it("in another h3 app, below any path", async () => {
    const { app } = await embed(BASE);
    const outer = new H3().get("/", () => "the shop").mount("/platform", app);
    expect(await (await ask(outer, "/")).text()).toBe("the shop");
    expect((await ask(outer, "/platform/healthz")).status).toBe(200);
    expect((await ask(outer, "/platform/api/platform/signup", SIGNUP)).status).toBe(201);
    expect((await ask(outer, "/platform/v1/reviews")).status).toBe(401);
    const missing = await ask(outer, "/platform/nowhere");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  });

  it("below a path with a parameter", async () => {
    const { app } = await embed(BASE);
    const outer = new H3().mount("/shops/:shop", app);
    const answer = await ask(outer, "/shops/bakery/docs/errors/not_found");
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Not Found")]);
  });

  it("as a handler of a catch-all, as Nitro and other frameworks call it", async () => {
    const { fetch } = await embed(BASE);
    const outer = new H3().all("/platform/**", (event) => fetch(event.req));
    expect((await ask(outer, "/platform/healthz")).status).toBe(200);
    expect((await ask(outer, "/platform/nowhere")).status).toBe(404);
  });

  it("by fetch, which removes the path", async () => {
    const { fetch } = await embed(BASE);
    const url = await listen(toNodeHandler(new H3().mount("/platform", { fetch })));
    const answer = await globalThis.fetch(`${url}/platform/api/platform/signup`, SIGNUP);
    expect(answer.status).toBe(201);
  });

  it("in a Node server", async () => {
    const { app } = await embed(BASE);
    const handler = toNodeHandler(app);
    const url = await listen((req, res) => void (req.url === "/" ? res.end("shop") : handler(req, res)));
    expect(await (await fetch(url)).text()).toBe("shop");
    expect((await fetch(`${url}/platform/api/platform/signup`, SIGNUP)).status).toBe(201);
    expect((await fetch(`${url}/platform/healthz`, { method: "HEAD" })).status).toBe(200);
  });

  it("writes the path into links, documents and redirects", async () => {
    const { app } = await embed(BASE);
    const outer = new H3().mount("/platform", app);
    const page = await (await ask(outer, "/platform/signup")).text();
    expect(page).toContain('action="/platform/signup"');
    expect(page).toContain('href="/platform/docs"');
    for (const path of ["/platform/docs", "/platform/docs/reference/delivery", "/platform/docs/errors"]) {
      const text = await (await ask(outer, path)).text();
      expect([path, text.match(/\s(?:action|href|spec-url|src)="\/(?!platform)[^"]*"/g)]).toEqual([
        path,
        null,
      ]);
    }
    const document = await (await ask(outer, "/platform/openapi.json")).json();
    expect(document.servers).toEqual([{ url: "https://shop.example/platform" }]);
    const problem = await ask(outer, "/platform/nowhere");
    expect(problem.headers.get("link")).toContain("https://shop.example/platform/docs/errors/not_found");
  });
});

describe("under serve", () => {
  it("own routes and middleware come from plugins", async () => {
    const url = await serve({
      plugins: [
        (app) => {
          app.use((event) => event.res.headers.set("x-powered-by", "bakery"));
          app.get("/hello", () => ({ hello: "world" }));
          app.get("/fails", () => Promise.reject(new Error("a bug of a plugin")));
        },
      ],
    });
    const own = await fetch(`${url}/hello`);
    expect([own.status, own.headers.get("x-powered-by"), await own.json()]).toEqual([
      200,
      "bakery",
      { hello: "world" },
    ]);
    const ours = await fetch(`${url}/healthz`);
    expect([ours.status, ours.headers.get("x-powered-by"), (await ours.json()).status]).toEqual([
      200,
      "bakery",
      "ok",
    ]);
    expect((await fetch(`${url}/fails`)).status).toBe(500);
    expect((await fetch(`${url}/api/platform/signup`, SIGNUP)).status).toBe(201);
  });

  it("answers below the path of the base URL, and where a proxy has removed it", async () => {
    const url = await serve({ baseUrl: "https://shop.example/platform" });
    for (const path of ["/platform/healthz", "/healthz"]) expect((await fetch(url + path)).status).toBe(200);
    const answer = await fetch(`${url}/platform/_/`, { redirect: "manual" });
    expect(answer.headers.get("location") ?? "/platform/_/").toMatch(/^\/platform\//);
  });

  it("refuses plugins that are not functions", async () => {
    await expect(
      loadConfig({ cwd: await makeFolder(cleanup), env: {}, settings: { plugins: ["no"] } }),
    ).rejects.toMatchObject({ problems: [{ path: "plugins[0]" }] });
  });
});
