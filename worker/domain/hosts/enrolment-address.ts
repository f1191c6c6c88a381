/** The address by which a new host reaches this instance. */

export interface EnrolmentAddress {
  origin: string;
  /** Why the command works only on this machine, and what to do; `null` if it works on other machines. */
  warning: string | null;
}

/**
 * @param asked the origin of the operator's request
 * @param forHosts the address on which an embedded control plane listens for other machines; undefined if there is none, or on Cloudflare
 */
export function enrolmentAddress(asked: string, forHosts: string | undefined): EnrolmentAddress {
  if (!isLoopback(asked)) return { origin: asked, warning: null };
  if (forHosts) return { origin: forHosts, warning: null };
  return {
    origin: asked,
    warning: `This instance listens on ${new URL(asked).hostname} only, so the command works on no other machine. Start it with "npm start -- --listen ADDRESS", an address of a private network that the new server reaches, or put a reverse proxy in front and send this request to its https address (docs/operate/reverse-proxy.md).`,
  };
}

const isLoopback = (origin: string) =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
