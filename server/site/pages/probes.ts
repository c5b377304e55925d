import type { Namespace } from "../../http/namespace.ts";
import { healthzRoute, readyzRoute } from "../../operations/health.ts";
import { metricsRoute } from "../../operations/metrics-route.ts";
import { refusalPage } from "./layout.ts";

/** For machines that watch the process. They answer before anything else is loaded. */
export const probesNamespace: Namespace = {
  name: "pages",
  mount: "",
  summary: "Pages and probes",
  auth: "none",
  part: "platform",
  envelope: false,
  refusal: refusalPage,
  routes: [healthzRoute, readyzRoute],
};

/** Without a token it only refuses, as often as an address may read pages. */
export const metricsNamespace: Namespace = { ...probesNamespace, isForReaders: true, routes: [metricsRoute] };
