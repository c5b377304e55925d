import type { Engine } from "./core/engine.ts";
import type { Namespace } from "./http/namespace.ts";
import { linksNamespace } from "./engines.ts";

/** Routes beside those of the engines, in groups that are loaded together. `added` are the engines of a configuration. */
export const groupLoaders: Readonly<
  Record<string, (added: readonly Engine[]) => Promise<readonly Namespace[]>>
> = {
  async account() {
    const { accountNamespace, storeAccountNamespace } = await import("./operations/account-namespaces.ts");
    return [accountNamespace, storeAccountNamespace];
  },
  signup: async () => [(await import("./site/signup-namespace.ts")).signupNamespace],
  admin: async () => [(await import("./operations/admin/index.ts")).adminNamespace],
  async links() {
    const [{ privacyLinkRoutes }, { mailLinkRoutes }] = await Promise.all([
      import("./operations/privacy/links.ts"),
      import("./mail/links.ts"),
    ]);
    return [linksNamespace([...privacyLinkRoutes, ...mailLinkRoutes])];
  },
  async pages() {
    const [{ pagesNamespace }, { elementsNamespace }] = await Promise.all([
      import("./site/pages/index.ts"),
      import("./site/elements/routes.ts"),
    ]);
    return [pagesNamespace, elementsNamespace];
  },
  console: async () => [(await import("./site/console/namespace.ts")).consoleNamespace],
  docs: async (added) => [(await import("./registry.ts")).registryWith({ engines: added }).docs],
};
