// Bare h3 behind listhen, as the platform listens: a handler that stringifies the same 20 objects.
import { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { listen } from "listhen";

import { PAGE, bundleOf } from "../dataset.mjs";

const items = Array.from({ length: PAGE }, (_, index) => bundleOf(index, `bdl_${index}`));
const app = new H3();
app.get("/page", (event) => {
  event.res.headers.set("content-type", "application/json");
  return JSON.stringify({ data: items });
});
const listener = await listen(toNodeHandler(app), {
  port: 0,
  hostname: "127.0.0.1",
  showURL: false,
  qr: false,
  autoClose: false,
});
console.log(JSON.stringify({ ready: true, url: listener.url.replace(/\/$/, ""), path: "/page" }));
process.on("SIGTERM", () => process.exit(0));
