/** The client for sending files. `fetch` does not report the progress of an upload, so parts are sent with XMLHttpRequest, which counts bytes. */
import { clientOf } from './client.ts';
import { probe } from './connection.ts';
import { forgetSession, sessionProof } from './session.ts';

/** @param onSent called with the bytes of the request that have left this machine */
export const uploadClient = (onSent: (bytes: number) => void) =>
  clientOf({
    header: 'x-longshore-session',
    proof: sessionProof,
    onEnded: forgetSession,
    // Some networks drop only large requests, and lost parts are sent again. So first check whether other requests are answered.
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
