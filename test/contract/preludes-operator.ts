import type { Prelude } from "./preludes.ts";
import type { Scene } from "./scene.ts";

// What has to happen before the examples of the operator's routes succeed.

const ADMIN = "/api/platform/admin";

/** A person who signed up and was sent a link. */
const signedUp = async (scene: Scene): Promise<void> => {
  await scene.must("signup.signup.create", { body: { email: "ada@shop.example" } });
};

/** The example goes to the first of a list. */
const firstOf =
  (path: string): Prelude =>
  async (scene) => {
    await signedUp(scene);
    const { data } = (await scene.harness.admin("GET", `${ADMIN}${path}`)).json;
    return { to: data[0].id };
  };

const webhook: Prelude = async (scene) => ({ to: (await scene.must("admin.webhooks.create")).id });

const privacyRequest: Prelude = async (scene) => {
  const { storeId } = scene.world.key;
  const { id } = await scene.must("admin.privacy.create");
  return { path: `${ADMIN}/privacy-requests/${storeId}/${id}` };
};

export const operatorPreludes: Readonly<Record<string, Prelude>> = {
  "admin.customers.verify": firstOf("/customers?status=pending"),
  "admin.keys.activate": async (scene) => {
    const body = { customer_id: scene.world.key.customerId, preset: "full", pending: true };
    return { to: (await scene.harness.admin("POST", `${ADMIN}/keys`, { body })).json.data.id };
  },
  "admin.keys.create": async ({ harness, world: { key } }) => {
    const { email } = (await harness.admin("GET", `${ADMIN}/customers/${key.customerId}`)).json.data;
    return { body: { email, store: key.storeId } };
  },
  "admin.logs.show": async (scene) => {
    const refused = await scene.harness.call("GET", "/v1/unknown", { key: scene.world.key });
    return { to: refused.headers.get("x-request-id") ?? "" };
  },
  "admin.mail.link": async (scene) => {
    await signedUp(scene);
    return {};
  },
  "admin.operators.delete": async (scene) => {
    await scene.must("admin.operators.create");
    return {};
  },
  "admin.mail.retry": firstOf("/mail"),
  "admin.mail.resend": firstOf("/mail"),
  "admin.mail.show": firstOf("/mail"),
  "admin.privacy.export": async (scene) => {
    const { path } = await privacyRequest(scene);
    await scene.harness.services.jobs.run("privacy.work");
    return { path: `${path}/export` };
  },
  "admin.privacy.get": privacyRequest,
  "admin.seed.clear": async (scene) => {
    await scene.must("admin.seed.run");
    return {};
  },
  "admin.stores.delete": async (scene) => ({ to: (await scene.must("admin.stores.create")).id }),
  "admin.webhooks.delete": webhook,
  "admin.webhooks.deliveries": webhook,
  "admin.webhooks.disable": webhook,
  "admin.webhooks.enable": webhook,
  "admin.webhooks.get": webhook,
  "admin.webhooks.replay": async (scene) => {
    const { to } = await webhook(scene);
    const { id } = await scene.must("admin.webhooks.resend", { to });
    return { path: `${ADMIN}/webhooks/${to}/replays/${id}` };
  },
  "admin.webhooks.resend": webhook,
  "admin.webhooks.resend-delivery": async (scene) => {
    const { to } = await webhook(scene);
    const { id } = await scene.must("admin.webhooks.test", { to });
    return { path: `${ADMIN}/webhooks/${to}/deliveries/${id}/resend` };
  },
  "admin.webhooks.test": webhook,
};
