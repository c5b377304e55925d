/** Whether a mail address belongs to a disposable mail service. The list is loaded on first use. */
export async function isDisposable(address: string | null): Promise<boolean> {
  const domain = address?.split("@").at(-1)?.toLowerCase();
  if (domain === undefined || domain === "") return false;
  const { isDisposableEmailDomain } = await import("disposable-email-domains-js");
  return isDisposableEmailDomain(domain);
}
