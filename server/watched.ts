import type { Ai } from "./core/ai.ts";
import type { ScheduledJob } from "./core/engine.ts";
import type { Ports } from "./core/ports.ts";
import type { MailTransport } from "./mail/transport.ts";
import type { Telemetry } from "./observability/telemetry.ts";

type Watch = Telemetry["watch"];
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

/** The same ports, with what they send measured and traced. */
export function watchPorts(ports: Ports, watch: Watch): Ports {
  const { post, fetch } = ports;
  return {
    ...ports,
    post: (request) =>
      watch(
        { kind: "http", operation: "POST", system: hostOf(request.url), target: "" },
        () => post(request),
        ({ status }) => status,
      ),
    fetch: (request) =>
      watch(
        { kind: "http", operation: request.method ?? "GET", system: hostOf(request.url), target: "" },
        () => fetch(request),
        ({ status }) => status,
      ),
    ai: watchAi(ports.ai, watch),
  };
}

/** A text that is streamed is measured until it begins. */
function watchAi(ai: Ai, watch: Watch): Ai {
  const known = new Set(ai.providers.map(({ id }) => id));
  const callOf = ({ operation, provider }: Parameters<Ai["generate"]>[0]) => {
    const id = provider ?? ai.providers[0]?.id ?? "";
    // Only what is configured becomes a label: an arbitrary name may have been sent.
    return { kind: "ai", operation, system: known.has(id) ? id : "_OTHER", target: "" } as const;
  };
  return {
    ...ai,
    generate: (request) => watch(callOf(request), () => ai.generate(request)),
    stream: (request) => watch(callOf(request), () => ai.stream(request)),
  };
}

export const watchTransport = (transport: MailTransport, watch: Watch): MailTransport => ({
  ...transport,
  send: (mail, options) =>
    watch({ kind: "mail", operation: "send", system: transport.name, target: "" }, () =>
      transport.send(mail, options),
    ),
});

/** Each run of a job in one store. */
export const watchJob = (job: ScheduledJob, watch: Watch): ScheduledJob => ({
  ...job,
  run: (work) =>
    watch({ kind: "job", operation: job.id, system: "", target: work.part }, () => job.run(work)),
});

/** Deliveries of webhooks, in addition to the requests that they are. */
export const watchDeliveries =
  <P extends Pick<Ports, "post">>(portsOf: (part: string) => P, watch: Watch) =>
  (part: string): P => {
    const ports = portsOf(part);
    return {
      ...ports,
      post: (request) =>
        watch(
          { kind: "webhook", operation: "deliver", system: hostOf(request.url), target: part },
          () => ports.post(request),
          ({ status }) => status,
        ),
    };
  };
