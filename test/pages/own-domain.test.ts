import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, it } from "vitest";

import { seedStore } from "../../server/operations/seed.ts";
import { freePort } from "../serve/outside.ts";
import { serveHarness } from "../support/browser.ts";

const hasNginx = spawnSync("nginx", ["-v"]).error === undefined;
if (!hasNginx && process.env["PLATFORM_TEST_REQUIRE"] === "1") throw new Error("nginx is required");

/** A store's site of its own: the feeds and llms.txt by a proxy, and what is left of its former site, a redirect. */
const siteOf = (
  dir: string,
  { former, own, service, store }: { own: number; former: number; service: string; store: string },
) => `daemon off; pid ${dir}/pid; error_log ${dir}/error.log;
events {}
http {
  access_log off; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
  server {
    listen 127.0.0.1:${own};
    location ~ ^/feeds/(rss|atom|json)$ { proxy_pass ${service}/api/public/stores/${store}/content/$1; }
    location = /llms.txt { proxy_pass ${service}/api/public/stores/${store}/llms.txt; }
  }
  server {
    listen 127.0.0.1:${former};
    location / { return 301 ${service}/api/public/stores/${store}/content/moved?url=$scheme://$http_host$uri; }
  }
}
`;

it.runIf(hasNginx)(
  "a store serves its feeds and files under its own domain, and sends visitors of the former one on",
  async () => {
    const served = await serveHarness();
    const { harness } = served;
    const seeded = await seedStore(harness.services, {
      now: harness.clock.now(),
      store: null,
      engines: null,
    });
    const { plaintext: key } = await harness.key({
      customer_id: seeded.customer_id,
      store_id: seeded.store_id,
    });
    const [own, former] = [await freePort(), await freePort()];
    const dir = await mkdtemp(join(tmpdir(), "own-domain-"));
    const store = seeded.store_id.toLowerCase();
    await writeFile(join(dir, "nginx.conf"), siteOf(dir, { own, former, service: served.url, store }));
    const nginx = spawn("nginx", ["-p", dir, "-c", join(dir, "nginx.conf")]);
    try {
      const set = (body: object) => harness.call("PATCH", "/v1/content/settings", { key, body });
      // The posts were published on the former site, then the store moved.
      await set({ site_url: `http://127.0.0.1:${former}` });
      await set({ site_url: `http://127.0.0.1:${own}`, feeds_url: `http://127.0.0.1:${own}/feeds` });
      await harness.call("POST", "/v1/answeros/files/llms.txt/generate", { key, body: {} });
      const site = `http://127.0.0.1:${own}`;
      const get = async (url: string, headers: Record<string, string> = {}): Promise<Response> => {
        for (let tries = 0; ; tries += 1) {
          try {
            return await fetch(url, { headers, redirect: "manual" });
          } catch (error) {
            // nginx has not bound its port yet.
            if (tries > 100) throw error;
            await sleep(50);
          }
        }
      };
      for (const format of ["rss", "atom", "json"]) {
        const feed = await get(`${site}/feeds/${format}`);
        const text = await feed.text();
        expect([
          feed.status,
          text.includes(`${site}/feeds/${format}`),
          text.includes("/api/public/"),
        ]).toEqual([200, true, false]);
        const again = await get(`${site}/feeds/${format}`, {
          "if-none-match": feed.headers.get("etag") ?? "",
        });
        expect(again.status).toBe(304);
      }
      const llms = await get(`${site}/llms.txt`);
      expect([llms.status, (await llms.text()).startsWith("# ")]).toEqual([200, true]);
      const [post] = (await harness.call("GET", "/v1/content/posts", { key })).json.data;
      const first = await get(`http://127.0.0.1:${former}/blog/${post.slug}?utm_source=mail&utm_medium=x`);
      expect(first.status).toBe(301);
      const second = await get(first.headers.get("location") ?? "");
      expect([second.status, second.headers.get("location")]).toEqual([301, `${site}/blog/${post.slug}`]);
    } finally {
      nginx.kill();
      await served.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
  60_000,
);
