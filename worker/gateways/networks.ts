import { connect } from 'cloudflare:sockets';

/** How the Worker reaches outside: with names that resolve to private addresses, or without. */
export interface Network {
  fetch: typeof fetch;
  connect: typeof connect;
}

/**
 * The control plane on one's own machine reaches the network of that machine. A name says nothing about its address, so addresses of tenants
 * use `open`, which connects to public ones only (local/control-plane/workerd-config.ts). `inner` is for what the operator has allowed or
 * set. On Cloudflare there is no such network, and both are the same.
 */
export function networks(inner: Fetcher | undefined): { open: Network; inner: Network } {
  // Wrapped, because workerd refuses fetch when it is called as a method of another object.
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
