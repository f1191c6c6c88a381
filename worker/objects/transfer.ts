/**
 * One byte transfer from a host to a client, named by the transfer's id. Two requests can only be piped together inside one object.
 * `GET ?size=<bytes>`: the client. 200 with the bytes, 504 without a sender, 409 if another client is receiving.
 * `PUT ?offset=<bytes>` with Content-Length: one part. 200 `{offset}`: continue there. 409 `{offset}`: send again from there. 499:
 * the client has disconnected, stop.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../env.ts';
import type { TransferCalls } from '../gateways/object-calls.ts';
import { type PartOutcome, TransferPipe } from './transfer-pipe.ts';

/** Nginx's "client closed request", which lets the runner distinguish it from failures that are worth a retry. */
const clientClosedRequest = 499;
const partStatus = { passed: 200, 'wrong-offset': 409, broken: 409, 'too-long': 400 } as const;

export class Transfer extends DurableObject<Env> implements TransferCalls {
  readonly #pipe = new TransferPipe();

  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (request.method === 'GET') return this.#receive(byteCount(searchParams.get('size')));
    const offset = byteCount(searchParams.get('offset'));
    const length = byteCount(request.headers.get('content-length'));
    if (offset === null || length === null || !request.body) return new Response(null, { status: 411 });
    return partReply(await this.#pipe.pass(offset, length, request.body));
  }

  async #receive(size: number | null): Promise<Response> {
    if (size === null) return new Response(null, { status: 400 });
    const body = await this.#pipe.receive(size);
    if (body === 'taken') return new Response(null, { status: 409 });
    if (body === 'no-sender') return new Response(null, { status: 504 });
    return new Response(body, { headers: { 'content-length': String(size) } });
  }
}

function partReply(outcome: PartOutcome): Response {
  if (outcome.result === 'over') return new Response(null, { status: clientClosedRequest });
  return Response.json({ offset: outcome.offset }, { status: partStatus[outcome.result] });
}

function byteCount(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
