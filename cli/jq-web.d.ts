/** jq compiled to WebAssembly; the package brings no types of its own. */
declare module "jq-web" {
  interface Jq {
    /** Runs a filter over JSON text; undefined where nothing comes out. Throws what jq writes to stderr. */
    raw(json: string, filter: string, flags?: readonly string[]): string | undefined;
  }
  const loading: Promise<Jq>;
  export default loading;
}
