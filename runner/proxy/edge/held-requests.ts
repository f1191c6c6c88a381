/**
 * Holds requests for services that are asleep, or are stopped for a moment. Before Caddy sends such a request on, it asks here, without the
 * body, and gets the answer once the service serves again. So the request itself is not sent until the service can receive it: Caddy can't
 * repeat a request with a body after a failed connection (https://github.com/caddyserver/caddy/issues/7546, fixed after 2.11.1).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type EdgeAnswers, type RoutedService, servedName } from './edge-answers.ts';

/** The path of Caddy's question, on the socket of the rules. */
export const holdPath = '/held';

/** Headers by which Caddy describes the request; they replace the client's headers of these names. */
export const holdHeaders = {
  /** The route name. */
  route: 'X-Longshore-Route',
  method: 'X-Longshore-Method',
  accept: 'X-Longshore-Accept',
} as const;

/** Header of the answer 204: where a request of HTTP/2 without TLS is sent. */
export const upstreamHeader = 'X-Longshore-Upstream';

/** Header of the answer 503: the reason why the request waits, or that it no longer waits because the app could not be started. */
export const waitReasonHeader = 'X-Longshore-Waits-For';
export const waitReasons = { asleep: 'wake', held: 'restart', failed: 'nothing' } as const;

/**
 * The limits of waiting requests, for one service and for all: each takes about 0.1 MB, in Caddy and edge together. Others are answered 503
 * at once, so that neither a flood nor one tenant takes the memory or the places of all.
 */
export const heldMax = { service: 2_000, all: 5_000 };

/** More than the start period of most health checks. */
export const holdMs = 120_000;
/** The time after which a browser gets a page that asks again, because an empty page looks like a failure. */
const pageMs = 3_000;
/** The interval of calls of `look`: the runner may have been restarting at the first question. */
export const lookEveryMs = 1_000;

interface Held {
  route: string;
  version: string;
  since: number;
  pageAt: number;
  response: ServerResponse;
}

/**
 * 204: the request is sent on. 503: the browser gets the page that asks again, or every client the answer that the app could not be
 * started.
 * @param parts.answers called each time
 * @param parts.wake requests a service from the runner; returns false without a running runner: the request then gets an answer that
 *   reports this
 * @param parts.now milliseconds of any monotonic clock
 * @param parts.epoch milliseconds since 1970
 * @returns `look`, to be called after each change of the answers, and every `lookEveryMs`
 */
export function heldRequests(parts: {
  answers: () => EdgeAnswers;
  wake: (serviceId: string) => boolean;
  now: () => number;
  epoch: () => number;
  most?: typeof heldMax;
}): { listener: RequestListener; look: () => void; size: () => number } {
  const { answers, wake, now, epoch, most = heldMax } = parts;
  const all = new Set<Held>();
  /** The numbers of requests that wait for each version, by the name that Caddy dials first. */
  const counts = new Map<string, number>();

  /** Grows with each request that gets an address, so that replicas get requests in turn. */
  let turn = 0;

  const served = (route: string): RoutedService | undefined => {
    const known = answers();
    return known.services.get(servedName(known, route));
  };

  function waitsFor(service: RoutedService | undefined): string | undefined {
    if (service?.asleep !== undefined && isAhead(service.retryAt, epoch())) return waitReasons.failed;
    if (service?.asleep !== undefined) return wake(service.asleep) ? waitReasons.asleep : undefined;
    return service && isHeld(service, epoch()) ? waitReasons.held : undefined;
  }

  function upstreamOf(service: RoutedService | undefined): Record<string, string> {
    const addresses = service?.h2cAddresses ?? [];
    const address = addresses[turn % addresses.length];
    if (!service || address === undefined) return {};
    turn += 1;
    return { [upstreamHeader]: `${address}:${service.port}` };
  }

  /** @returns true if the request has its answer */
  function answered({ route, since, pageAt, response }: Held): boolean {
    const at = now();
    const reason = at - since < holdMs ? waitsFor(served(route)) : undefined;
    if (reason === undefined) {
      response.writeHead(204, upstreamOf(served(route))).end();
      return true;
    }
    if (reason !== waitReasons.failed && at < pageAt) return false;
    response.writeHead(503, { [waitReasonHeader]: reason }).end();
    return true;
  }

  const countOf = (version: string) => counts.get(version) ?? 0;

  function hold(held: Held): void {
    all.add(held);
    counts.set(held.version, countOf(held.version) + 1);
  }

  function forget(held: Held): void {
    if (!all.delete(held)) return;
    const left = countOf(held.version) - 1;
    if (left > 0) counts.set(held.version, left);
    else counts.delete(held.version);
  }

  function look(): void {
    for (const held of all) if (answered(held)) forget(held);
  }

  return {
    listener(request, response) {
      const since = now();
      const given = (name: keyof typeof holdHeaders) => headerOf(request, holdHeaders[name]);
      const wantsPage = ['GET', 'HEAD'].includes(given('method')) && given('accept').includes('text/html');
      const pageAt = wantsPage ? since + pageMs : Number.POSITIVE_INFINITY;
      const route = given('route').toLowerCase();
      const held = { route, version: served(route)?.dialNames[0] ?? '', since, pageAt, response };
      if (answered(held)) return;
      if (all.size >= most.all || countOf(held.version) >= most.service)
        return void response.writeHead(503).end();
      hold(held);
      response.on('close', () => forget(held));
    },
    look,
    size: () => all.size,
  };
}

/** True if requests currently wait for this service. The wait ends by itself at that time, even if the runner has died. */
export const isHeld = ({ heldUntil }: { heldUntil?: number }, epochMs: number) => isAhead(heldUntil, epochMs);

/** True if this time is in the future. A time too far away is from a clock that was set back. */
export const isAhead = (time: number | undefined, epochMs: number) =>
  time !== undefined && time > epochMs && time - epochMs <= holdMs;

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}
