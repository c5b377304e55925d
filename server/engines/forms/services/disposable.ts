/** Whether a mail address is of a service that gives them away for an hour. The list is loaded by the first who asks. */
export async function isDisposable(address: string | null): Promise<boolean> {
  const domain = address?.split("@").at(-1)?.toLowerCase();
  if (domain === undefined || domain === "") return false;
  const { isDisposableEmailDomain } = await import("disposable-email-domains-js");
  return isDisposableEmailDomain(domain);
}
