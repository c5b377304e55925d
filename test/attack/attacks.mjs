// What a hostile customer of the plan Free does, and strangers without a key. `prepare` runs before, with the time that an attacker has:
// the limits of requests do not apply. `attack` runs in a process of its own.
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { connect } from "node:net";
import { crc32 } from "node:zlib";

import sharp from "sharp";

import { ADDRESSES, must, pause, send, signUp } from "./parts.mjs";

const CONNECTIONS = 16;
const LATE_MS = 30_000;
const HEAVY_CHARS = 100_000;
const SLOW_PAGES = 20;
/** A large post is 140 KB of text, and about as much of HTML; a feed contains some four. */
const LARGE_POST_CHARS = 144_000;
const LARGE_POSTS = 8;
const WINDOWS = 100;
const BLOCKED = 100;
const INVITED = 5;
const OFFERS = 60;
const LARGE_CARTS = 50;
/** Requests of a minute of the plan Free. */
const PER_MINUTE = 60;
/** Connections on which requests are pipelined, and bytes of requests in one write. */
const PIPELINES = 60;
const PIPELINED_BYTES = 65_536;
/** Uploads that stay incomplete by one byte, of the largest size that is read. */
const UNFINISHED = 16;
const UNFINISHED_BYTES = 26_000_000;
/** Pixels of a side: a file of 2 KB with as many pixels as a picture may have. */
const PICTURE_SIDE = 5_000;
/** Connections to MCP with a body that is never finished. */
const AGENTS = 200;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Mails that the plan Free sends to new recipients per day. */
export const MAILS_TO_STRANGERS = 20;
export const STRANGERS = "strangers.example";

const prose = (chars) =>
  "The baker's sourdough, which was proved overnight, is baked before dawn. ".repeat(chars / 72);
const markup = (chars) =>
  '<p><b><i>Bread <a href="https://shop.example/a">here</a></i></b> & more.</p>\n'.repeat(chars / 73);

/**
 * Repeats a request over several connections until the time is over, and on until `until` was answered once (on a slow machine
 * too, an attack goes as far as it is let); resolves to the number of each status.
 */
async function repeat({ urls, seconds, connections = CONNECTIONS, until = null }, toRequest) {
  const statuses = {};
  const endAt = Date.now() + seconds * 1_000;
  const isOver = () => {
    const isLate = Date.now() >= endAt + LATE_MS;
    return Date.now() >= endAt && (isLate || until === null || statuses[until] !== undefined);
  };
  let count = 0;
  const worker = async (_, index) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver()) {
      count += 1;
      const request = toRequest(count);
      const url = urls[index % urls.length] + request.path;
      const status = await send(agent, { ...request, url, from: ADDRESSES.hostile, timeoutMs: 20_000 }).then(
        (answer) => answer.status,
        () => "none",
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
      // A client without any pause would measure its own loop.
      if (status === "none" || status === 429) await pause(1);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return statuses;
}

/** A well-formed key that does not exist: it is looked up. */
function wrongKey() {
  const head = `plat_live_${randomUUID().replaceAll("-", "").slice(0, 30)}`;
  const digits = (rest, count) =>
    count === 0 ? "" : digits(Math.floor(rest / 62), count - 1) + BASE62.charAt(rest % 62);
  return head + digits(crc32(head), 6);
}

const post = (path, body, key) => ({ path, method: "POST", body, key });

/** Keeps `count` connections that begin with `toBytes(index)`, and opens another for each that the server closes. */
async function holdOpen({ urls, seconds }, count, toBytes) {
  const endAt = Date.now() + seconds * 1_000;
  let opened = 0;
  const hold = async (_, index) => {
    const { hostname: host, port } = new URL(urls[index % urls.length]);
    while (Date.now() < endAt) {
      opened += 1;
      const socket = connect({ host, port: Number(port) }).resume();
      const closed = new Promise((resolve) => socket.once("error", resolve).once("close", resolve));
      for (const part of toBytes(index)) socket.write(part);
      await Promise.race([closed, pause(Math.max(0, endAt - Date.now()))]);
      socket.destroy();
      await pause(10);
    }
  };
  await Promise.all(Array.from({ length: count }, hold));
  return { opened };
}

/** Each has a name for the table. `isShort`: part of the short form. */
export const attacks = {
  requests: {
    title: "flood of requests with a key",
    attack: ({ key, ...how }) => repeat(how, () => ({ path: "/v1/content/drafts?limit=100", key })),
  },
  strangers: {
    title: "flood of requests with wrong keys",
    attack: (how) =>
      repeat(how, () => ({ path: "/v1/account", key: `plat_live_${randomUUID().replaceAll("-", "")}0000` })),
  },
  mail: {
    title: "mail to strangers",
    async prepare({ url, key }) {
      const body = { kind: "rsvp", title: "Lunch" };
      const { data } = await must({ url: `${url}/v1/catering/headcount-sources`, method: "POST", key, body });
      return { source: data.id };
    },
    attack: ({ key, state, ...how }) =>
      repeat({ ...how, connections: 4 }, (n) => {
        const people = Array.from({ length: INVITED }, (_, index) => ({
          name: "Ada",
          email: `ada-${process.pid}-${n}-${index}@${STRANGERS}`,
        }));
        const date = new Date(Date.now() + 86_400_000 * 7).toISOString().slice(0, 10);
        return post(`/v1/catering/headcount-sources/${state.source}/invitations`, { date, people }, key);
      }),
  },
  texts: {
    title: "heavy texts",
    async prepare({ url, key }) {
      const drafts = [];
      for (let n = 0; n < 12; n += 1) {
        const body = n % 2 === 0 ? prose(HEAVY_CHARS) : markup(HEAVY_CHARS);
        const draft = { title: `Bread ${n}`, body, seo: { focus_keyphrase: "sourdough" } };
        const { data } = await must({ url: `${url}/v1/content/drafts`, method: "POST", key, body: draft });
        drafts.push(data.id);
      }
      return { drafts };
    },
    attack: ({ key, state, ...how }) =>
      repeat(how, (n) => {
        const { drafts } = state;
        const choices = [
          post(`/v1/content/drafts/${drafts[n % drafts.length]}/scores`, undefined, key),
          post(
            "/v1/answeros/pages",
            { url: null, html: markup(HEAVY_CHARS), page_type: "product", entity: "Rye" },
            key,
          ),
          post("/v1/content/drafts", { title: `More ${n}`, body: markup(HEAVY_CHARS) }, key),
        ];
        return choices[n % choices.length];
      }),
  },
  reads: {
    title: "large documents and feeds of them",
    async prepare({ url, key }) {
      const make = async (path, body) =>
        (await must({ url: `${url}/v1/content${path}`, method: "POST", key, body })).data;
      const drafts = [];
      for (let n = 0; n < LARGE_POSTS; n += 1) {
        const { id } = await make("/drafts", { title: `Bread ${n}`, body: prose(LARGE_POST_CHARS) });
        await make(`/drafts/${id}/publish`, {});
        drafts.push(id);
      }
      return { drafts };
    },
    attack: ({ key, state: { drafts }, ...how }) =>
      repeat({ ...how, connections: PER_MINUTE }, (n) => {
        const paths = [
          "/feeds/rss",
          "/feeds/atom",
          "/feeds/json",
          `/drafts/${drafts[(n >> 2) % drafts.length]}`,
        ];
        return { path: `/v1/content${paths[n % paths.length]}`, key };
      }),
  },
  document: {
    title: "OpenAPI document and documentation",
    attack: (how) =>
      repeat(how, (n) => ({ path: ["/openapi.json", "/docs", "/docs/reference/content"][n % 3] })),
  },
  bodies: {
    title: "large bodies",
    attack({ key, ...how }) {
      // Made once: the time to make them is the attacker's, who has a machine of his own.
      const bodies = [`{"title":"${"x".repeat(8_000_000)}"}`, `[${"[".repeat(900_000)}`].map((text) =>
        Buffer.from(text),
      );
      return repeat(how, (n) => post("/v1/content/drafts", bodies[n % 2], key));
    },
  },
  lists: {
    title: "expensive lists",
    async prepare({ url, key }) {
      const base = `${url}/v1/delivery`;
      const make = async (path, body) => (await must({ url: base + path, method: "POST", key, body })).data;
      await must({ url: `${base}/settings`, method: "PATCH", key, body: { horizon_days: 60 } });
      const tiers = [{ from: 0, fee: 0 }];
      const zone = await make("/zones", {
        name: "Centre",
        patterns: ["SW1"],
        minimum_order: 0,
        fee_tiers: tiers,
      });
      const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
      const place = { zone_ids: [zone.id], days, end: "20:00", capacity: 10 };
      for (let n = 0; n < WINDOWS; n += 1) {
        const start = `${String(8 + Math.floor(n / 20)).padStart(2, "0")}:${String((n % 20) * 3).padStart(2, "0")}`;
        await make("/slot-windows", { ...place, name: `Window ${n}`, start });
      }
      for (let n = 0; n < BLOCKED; n += 1) {
        const date = new Date(Date.now() + (20 + (n % 300)) * 86_400_000).toISOString().slice(0, 10);
        const ranges = [{ start: "08:00", end: "08:01" }];
        await make("/blocked-dates", { scope: "all", date, ranges, reason: `Holiday ${n}` });
      }
      return { zone: zone.id };
    },
    attack: ({ key, state, ...how }) =>
      repeat(how, () => ({ path: `/v1/delivery/slots?zone_id=${state.zone}&limit=100`, key })),
  },
  carts: {
    title: "carts under many offers",
    async prepare({ url, key }) {
      const make = async (path, body) =>
        (await must({ url: `${url}/v1/cart${path}`, method: "POST", key, body })).data;
      const filter = { refs: [], categories: [], tags: [] };
      for (let n = 0; n < OFFERS; n += 1) {
        const effect = {
          class: "bogo",
          buy: { filter, qty: 2 + n, spend: null },
          get: { filter, qty: 1 },
          value: { kind: "percent_off", value: 100 + n },
        };
        const offer = await make("/offers", { title: `Offer ${n}`, trigger: "automatic", effect });
        await make(`/offers/${offer.id}/activate`, {});
      }
      return {};
    },
    attack: ({ key, ...how }) => {
      const lines = Array.from({ length: 500 }, (_, n) => ({
        id: `line-${n}`,
        ref: `loaf-${n}`,
        quantity: 1 + (n % 19),
        unit_price: 100 + ((n * 37) % 900),
      }));
      return repeat(how, () => post("/v1/cart/evaluations", { lines }, key));
    },
  },
  pictures: {
    title: "pictures of many pixels",
    async prepare({ url, key }) {
      const make = async (path, body) =>
        (await must({ url: `${url}/v1/forms${path}`, method: "POST", key, body })).data;
      const form = await make("", {
        name: "Cakes",
        fields: [{ key: "photo", type: "file", label: "Photo" }],
      });
      await make(`/${form.id}/publish`, {});
      const side = { width: PICTURE_SIDE, height: PICTURE_SIDE, channels: 3, background: "green" };
      const picture = await sharp({ create: side }).webp({ lossless: true }).toBuffer();
      return { form: form.id, content: picture.toString("base64") };
    },
    attack: ({ key, state: { content, form }, ...how }) =>
      repeat(how, () =>
        post(`/v1/forms/${form}/uploads`, { field: "photo", file: { name: "cake.webp", content } }, key),
      ),
  },
  urls: {
    title: "slow URLs in jobs",
    async prepare({ url, key, web }) {
      for (let n = 0; n < SLOW_PAGES; n += 1) {
        const body = { url: `${web.slow}/slow-${n}`, page_type: "product", entity: "Rye" };
        await must({ url: `${url}/v1/answeros/pages`, method: "POST", key, body });
      }
      return {};
    },
    attack: async ({ seconds }) => {
      await pause(seconds * 1_000);
      return {};
    },
  },
  storage: {
    title: "filling the disk",
    attack: ({ key, ...how }) =>
      repeat({ ...how, until: 409 }, (n) =>
        post("/v1/content/drafts", { title: `Full ${n}`, body: prose(140_000) }, key),
      ),
  },
  streams: {
    title: "streams and idle connections",
    async attack({ urls, key, seconds }) {
      const count = 600;
      const lines = [
        "GET /api/platform/admin/limits/stream HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nFROMAuthorization: Bearer KEY\r\n\r\n",
        "GET /v1/account HTTP/1.1\r\nHost: x\r\nFROMX-Slow: ",
        "POST /v1/content/drafts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\nFROMAuthorization: Bearer KEY\r\n\r\n{",
      ];
      const sockets = Array.from({ length: count }, (_, index) => {
        const { hostname: host, port } = new URL(urls[index % urls.length]);
        const socket = connect({ host, port: Number(port) });
        socket.on("error", () => undefined).resume();
        socket.write(
          lines[index % lines.length]
            .replace("KEY", key)
            .replace("FROM", `X-Forwarded-For: ${ADDRESSES.hostile}\r\n`),
        );
        return socket;
      });
      for (let second = 0; second < seconds; second += 1) {
        await pause(1_000);
        for (const socket of sockets) if (socket.writable) socket.write("x");
      }
      const open = sockets.filter(({ destroyed }) => !destroyed).length;
      for (const socket of sockets) socket.destroy();
      return { open, closed: count - open };
    },
  },
  unread: {
    title: "large responses that are not read",
    async prepare({ url, key }) {
      const line = { ref: "r".repeat(110), title: "x".repeat(140), quantity: 1, unit_price: 100 };
      const body = {
        sequence: 1,
        customer: { email: null },
        lines: Array.from({ length: 200 }, () => line),
        total: 100,
        currency: "GBP",
        checkout_url: "https://shop.example/checkout",
      };
      for (let n = 0; n < LARGE_CARTS; n += 1)
        await must({ url: `${url}/v1/cart/carts/large-${n}`, method: "PUT", key, body });
    },
    async attack({ urls, key, seconds }) {
      const sockets = Array.from({ length: PER_MINUTE }, (_, index) => {
        const { hostname: host, port } = new URL(urls[index % urls.length]);
        const socket = connect({ host, port: Number(port) }).pause();
        socket.on("error", () => undefined);
        socket.write(
          `GET /v1/cart/carts?limit=100 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ADDRESSES.hostile}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
        );
        return socket;
      });
      await pause(seconds * 1_000);
      for (const socket of sockets) socket.destroy();
      return { sent: PER_MINUTE };
    },
  },
  pipelines: {
    title: "pipelined requests",
    attack: ({ key, ...how }) => {
      const text = `GET /v1/account HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ADDRESSES.hostile}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const bytes = text.repeat(PIPELINED_BYTES / text.length);
      return holdOpen(how, PIPELINES, () => [bytes]);
    },
  },
  unfinished: {
    title: "uploads that are never finished",
    attack: (how) => {
      const content = Buffer.alloc(UNFINISHED_BYTES - 1_000);
      return holdOpen(how, UNFINISHED, (index) => [
        `POST /api/public/reviews/token-${index} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ADDRESSES.hostile}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${UNFINISHED_BYTES}\r\n\r\n--x\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n`,
        content,
      ]);
    },
  },
  agents: {
    title: "wrong keys and bodies to MCP",
    hasAgent: true,
    async attack({ mcp, seconds }) {
      const how = { urls: [mcp], seconds };
      const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      const [statuses] = await Promise.all([
        repeat(how, () => post("/mcp", list, wrongKey())),
        holdOpen(how, AGENTS, () => [
          `POST /mcp HTTP/1.1\r\nHost: ${new URL(mcp).host}\r\nAuthorization: Bearer ${wrongKey()}\r\nContent-Length: 1000000\r\n\r\n`,
          Buffer.alloc(900_000),
        ]),
      ]);
      return statuses;
    },
  },
  signups: {
    title: "flood of signups",
    attack: (how) =>
      repeat(how, (n) =>
        post("/api/platform/signup", {
          email: `visitor-${process.pid}-${n}@${STRANGERS}`,
          storeIdentifier: `visitor-${process.pid}-${n}`,
        }),
      ),
  },
};

/** A customer of the plan Free, with everything prepared. */
export async function openHostile(platform, name, round = 0) {
  const customer = await signUp(platform, `hostile-${name}-${round}`);
  const { prepare } = attacks[name];
  const { key } = customer;
  await customer.setPlan("growth");
  const state = (await prepare?.({ url: platform.urls[0], key, web: platform.web })) ?? {};
  await customer.setPlan("free");
  return { ...customer, state };
}
