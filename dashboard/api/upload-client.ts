/** The client for sending files: `fetch` tells nothing about what is on its way, so parts are sent by the older interface, which counts bytes. */
import { clientOf } from './client.ts';
import { probe } from './connection.ts';
import { forgetSession, sessionProof } from './session.ts';

/** @param onSent bytes of the request that have left this machine */
export const uploadClient = (onSent: (bytes: number) => void) =>
  clientOf({
    header: 'x-longshore-session',
    proof: sessionProof,
    onEnded: forgetSession,
    // Networks drop large requests alone, and a lost part is sent again: first ask whether anything else is answered.
    onSilence: () => void probe(),
    fetch: (input, init) => countedFetch(input, init, onSent),
  });

function countedFetch(
  input: RequestInfo | URL,
  init: RequestInit,
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((answered, failed) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? 'GET', String(input));
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () =>
      answered(
        new Response(request.response as string, { status: request.status, headers: headersOf(request) }),
      );
    request.onerror = () => failed(new TypeError('The connection was lost.'));
    const stop = () => {
      request.abort();
      failed(new DOMException('Stopped', 'AbortError'));
    };
    init.signal?.addEventListener('abort', stop);
    if (init.signal?.aborted) stop();
    else request.send(init.body as XMLHttpRequestBodyInit);
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const type = request.getResponseHeader('content-type');
  return new Headers(type ? { 'content-type': type } : {});
}
