import { connect } from 'cloudflare:sockets';

/** The Worker's access to other servers, with or without names that resolve to private addresses. */
export interface Network {
  fetch: typeof fetch;
  connect: typeof connect;
}

/**
 * A control plane on a developer's own machine reaches that machine's network. A name does not show its address, so addresses from tenants
 * use `open`, which connects only to public addresses (local/control-plane/workerd-config.ts). `inner` is for addresses that the operator
 * has allowed or set. On Cloudflare there is no such network, and both are the same.
 */
export function networks(inner: Fetcher | undefined): { open: Network; inner: Network } {
  // Wrapped, because workerd refuses fetch as a method of another object.
  const open: Network = { fetch: (input, init) => fetch(input, init), connect };
  if (!inner) return { open, inner: open };
  return {
    open,
    inner: {
      fetch: (input, init) => inner.fetch(input as RequestInfo, init as RequestInit),
      connect: (address, options) => inner.connect(address, options),
    },
  };
}
