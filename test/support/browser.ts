import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

import { toNodeHandler } from "h3";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

/** Path of a Chromium: `CHROMIUM_PATH`, or the one on the PATH; null where there is none. */
const CHROMIUM = process.env["CHROMIUM_PATH"] ?? findChromium();
const IS_REQUIRED = process.env["PLATFORM_TEST_REQUIRE"] === "1";
/** Tests in a browser run where one is, and wherever nothing may be skipped. */
export const HAS_BROWSER = CHROMIUM !== null || IS_REQUIRED;
if (!HAS_BROWSER)
  console.warn("No chromium: tests in a browser are skipped. Install it, or set CHROMIUM_PATH.");

function findChromium(): string | null {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // Not this one.
    }
  }
  return null;
}

const HOSTS: readonly string[] = ["127.0.0.1", "localhost"];

export interface TestBrowser {
  /** A page of a fresh context, which reaches no other host than this one. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors on the console, errors of scripts, refused policies, requests to strange hosts. */
  readonly complaints: readonly string[];
}

export async function openBrowser(): Promise<TestBrowser> {
  if (CHROMIUM === null) throw new Error("No chromium is installed, and nothing may be skipped.");
  // Names are kept from being resolved, rather than requests intercepted: whoever intercepts answers preflights themselves.
  const hosts = HOSTS.map((host) => `EXCLUDE ${host}`).join(", ");
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", `--host-resolver-rules=MAP * ~NOTFOUND, ${hosts}`],
  });
  return {
    async open(options = {}) {
      const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/London", ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      context.on("request", (request) => {
        const { hostname, protocol } = new URL(request.url());
        if (!/^(data|blob|about):$/.test(protocol) && !HOSTS.includes(hostname))
          complaints.push(`asked ${hostname}`);
      });
      return { page, complaints };
    },
    close: () => browser.close(),
  };
}

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Names, labels, contrast, order: what axe finds wrong, as text. It runs beside the page's own policy, not under it. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: AXE });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run().then((found) => JSON.stringify(found.violations))",
    awaitPromise: true,
  });
  const found: Violation[] = JSON.parse(String(result.value));
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** The service in memory, on a real port of this machine, for browsers and other programs. */
export async function serveHarness(
  options: Parameters<typeof createHarness>[0] = {},
): Promise<{ readonly harness: Harness; readonly url: string; close(): Promise<void> }> {
  let handle: ReturnType<typeof toNodeHandler> | null = null;
  const server = createServer((req, res) => void handle?.(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server has an address and a port, no path.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const harness = await createHarness({ ...options, config: { ...options.config, baseUrl: url } });
  handle = toNodeHandler(harness.app);
  return {
    harness,
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await harness.close();
    },
  };
}
