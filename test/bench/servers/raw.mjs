// The ceiling: node:http, one page stringified per request, one end().
import { createServer } from "node:http";

import { PAGE, bundleOf } from "../dataset.mjs";
import { ready } from "./ready.mjs";

const items = Array.from({ length: PAGE }, (_, index) => bundleOf(index, `bdl_${index}`));
const server = createServer((_req, res) => {
  const body = JSON.stringify({ data: items });
  res.writeHead(200, { "content-type": "application/json" });
  res.end(body);
});
ready(server, { path: "/" });
